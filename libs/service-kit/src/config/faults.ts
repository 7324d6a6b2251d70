import { readFileSync } from 'node:fs'
import { reasonOf } from '../errors.ts'

/** Each fault begins with the name of its variable. */
export function configurationError(faults: readonly string[]): Error {
  return new Error(`Invalid configuration\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
}

/** Throws an error that names all faults. */
export function demand(faults: readonly string[]): void {
  if (faults.length > 0) throw configurationError(faults)
}

/** Returns a fault for each missing variable, unless all or none are set. */
export function together(
  read: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string[] {
  const given = names.filter((name) => read[name] !== undefined)
  if (given.length === 0) return []
  return names
    .filter((name) => read[name] === undefined)
    .map((name) => `${name}: is not set, and ${given.join(' and ')} ${given[1] ? 'are' : 'is'}`)
}

/** Returns the text of the file that the variable names. */
export function readPem(variable: string, file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (err) {
    throw configurationError([`${variable}: ${reasonOf(err)}`])
  }
  if (!text.includes('-----BEGIN ')) throw configurationError([`${variable}: ${file} is not PEM`])
  return text
}
