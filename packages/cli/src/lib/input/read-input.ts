import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { reasonOf } from '@surehook/service-kit/errors'
import { Failure, type Io, type OptionSpecs, UsageError } from '../../cli/command.ts'
import { isObject, jsonOf } from './option-values.ts'

/** Options of commands that send a JSON value. */
export const inputOptions = {
  data: { type: 'string', value: 'json', help: 'the JSON value itself' },
  file: {
    type: 'string',
    value: 'file',
    help: 'a file with the JSON value. Default: the standard input',
  },
} as const satisfies OptionSpecs

type InputValues = { readonly data?: string | undefined; readonly file?: string | undefined }

/** Reads the JSON value of a command from `--data`, `--file` or the standard input. */
export async function readInput(
  { data, file }: InputValues,
  io: Pick<Io, 'stdin'>,
): Promise<unknown> {
  if (data !== undefined && file !== undefined) throw new UsageError('--data or --file, not both')
  if (data !== undefined) return jsonOf('data', data)
  if (file !== undefined && file !== '-') return parsed(textOf(file), file)
  return parsed(await readStdin(io, '--file'), 'the standard input')
}

/** Like `readInput`, for an object. */
export async function readObject(
  values: InputValues,
  io: Pick<Io, 'stdin'>,
): Promise<Record<string, unknown>> {
  const value = await readInput(values, io)
  if (isObject(value)) return value
  throw new UsageError('the input must be a JSON object')
}

/** Reads the standard input to its end. `instead` names the option for terminals. */
export function readStdin({ stdin = process.stdin }: Pick<Io, 'stdin'>, instead: string) {
  if (!stdin.isTTY) return text(stdin)
  throw new UsageError(`there is no input: give ${instead}, or pipe it into the command`)
}

/** Reads a file that the call names. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (err) {
    throw new Failure(reasonOf(err))
  }
}

function parsed(content: string, source: string): unknown {
  try {
    return JSON.parse(content)
  } catch (err) {
    throw new Failure(`${source}: ${reasonOf(err)}`)
  }
}
