import { exitCodes } from './cli/command.ts'
import { runCli } from './cli/run-cli.ts'
import { commands } from './commands/commands.ts'

/** `surehook <command> …` */
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    stop.abort(new Error(`stopped by ${name}`))
    // A second signal ends the process even if the command ignores the abort.
    process.once(name, () => process.exit(1))
  })
}
// The reader of the output may end first, as `head` does. The command then ends without a stack
// trace. Only a command that is done has an exit code of its own: `apply` may have steps left.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (err: NodeJS.ErrnoException) => {
    if (err.code !== 'EPIPE') throw err
    process.exit(process.exitCode ?? exitCodes.brokenPipe)
  })
}
process.exitCode = await runCli(commands, process.argv.slice(2), {
  env: process.env,
  out: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
  signal: stop.signal,
  now: Date.now,
  columns: process.stdout.columns,
})
