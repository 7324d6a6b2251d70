import { createInterface } from 'node:readline/promises'
import { UsageError } from '../cli/command.ts'

/**
 * Asks on the terminal. Throws without a terminal: a script that changes something says `--yes`.
 * Writes to standard error, because standard output may be a file.
 */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new UsageError('there is no terminal to ask on: --yes goes on without asking')
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} Type "yes" to go on: `, { signal })
    return answer.trim() === 'yes'
  } finally {
    terminal.close()
  }
}
