import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Input } from '../cli/command.ts'

type QuestionOptions = {
  hidden?: boolean
  signal: AbortSignal
  /** Default: the standard error, because the standard output is for results. */
  visible?: NodeJS.WritableStream
}

/** Asks the user of a terminal. The answer to a `hidden` question does not appear. */
export async function ask(
  input: Input,
  question: string,
  { hidden = false, signal, visible = process.stderr }: QuestionOptions,
): Promise<string> {
  const silent = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input, output: hidden ? silent : visible, terminal: true })
  // A terminal in raw mode makes no signal of Ctrl-C.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    if (!hidden) return (await lines.question(question, { signal })).trim()
    visible.write(question)
    const answer = await lines.question('', { signal })
    visible.write('\n')
    return answer.trim()
  } finally {
    lines.close()
  }
}
