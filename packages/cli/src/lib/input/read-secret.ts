import type { Io } from '../../cli/command.ts'
import { ask } from '../../login/ask.ts'
import { tokenIn } from '../platform-client.ts'
import { readStdin } from './read-input.ts'

/**
 * Reads a secret from the file that an option names, or asks for it, or reads the standard input.
 * Options are visible to other users of the machine.
 */
export async function readSecret(
  { option, file, what }: { option: string; file: string | undefined; what: string },
  { stdin = process.stdin, signal }: Pick<Io, 'stdin' | 'signal'>,
): Promise<string> {
  if (file !== undefined) return tokenIn(file, option)
  return stdin.isTTY
    ? ask(stdin, `${what} (it does not appear): `, { hidden: true, signal })
    : (await readStdin({ stdin }, `--${option}`)).trim()
}
