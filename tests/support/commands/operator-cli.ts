import { Readable } from 'node:stream'
import { runCli } from 'surehook/cli/run-cli'
import { commands } from 'surehook/commands/commands'

export type CliAnswer = {
  code: number
  out: string
  notes: string
  /** Parses the output of `--json`. */
  json: () => unknown
}

/** Runs `surehook …` in this process, with only these variables. */
export const surehook = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<CliAnswer> =>
  surehookReading('', env, ...args)

/** Like `surehook`, with a standard input. */
export async function surehookReading(
  input: string,
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<CliAnswer> {
  const out: string[] = []
  const notes: string[] = []
  const code = await runCli(commands, args, {
    env,
    out: (line) => void out.push(line),
    note: (line) => void notes.push(line),
    signal: AbortSignal.timeout(120_000),
    now: Date.now,
    stdin: Readable.from([input]),
  })
  const text = out.join('\n')
  return { code, out: text, notes: notes.join('\n'), json: (): unknown => JSON.parse(text) }
}
