import { type Io, UsageError } from '../../cli/command.ts'
import { ask } from '../../login/ask.ts'

/**
 * Asks on the terminal whether to go on. Throws without a terminal: a script that changes something
 * says `--yes`.
 */
export async function confirm(
  { stdin = process.stdin, signal }: Pick<Io, 'stdin' | 'signal'>,
  question: string,
  visible?: NodeJS.WritableStream,
): Promise<boolean> {
  if (!stdin.isTTY) {
    throw new UsageError('there is no terminal to ask on: --yes goes on without asking')
  }
  return (
    (await ask(stdin, `${question} Type "yes" to go on: `, {
      signal,
      ...(visible && { visible }),
    })) === 'yes'
  )
}
