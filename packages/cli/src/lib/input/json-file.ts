import { readFileSync } from 'node:fs'
import { reasonOf } from '@surehook/service-kit/errors'
import { Failure } from '../../cli/command.ts'

/** Reads a JSON file. Throws a `Failure` that names the file. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (err) {
    throw new Failure(`${file}: ${reasonOf(err)}`)
  }
}
