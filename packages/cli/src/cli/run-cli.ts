import { reasonOf } from '@surehook/service-kit/errors'
import { visibleLines } from '../output/visible.ts'
import {
  type AnyCommand,
  type Call,
  type ExitCode,
  exitCodes,
  Failure,
  type Io,
  type OptionSpecs,
  UsageError,
} from './command.ts'
import { candidates, completeWord } from './completion.ts'
import { helpOf, helpOfAll } from './help.ts'
import { readCall } from './read-call.ts'
import { version } from './version.ts'

/** Runs the command that `args` begin with and resolves with its exit code. Never rejects. */
export async function runCli(
  commands: readonly AnyCommand[],
  args: readonly string[],
  io: Io,
): Promise<ExitCode> {
  const [first] = args
  if (first === '--version') return say(io, `surehook ${version}`)
  if (first === completeWord) return sayAll(io, candidates(commands, args.slice(1)))
  const isWord = args.findIndex((arg) => arg.startsWith('-'))
  const words = isWord === -1 ? args : args.slice(0, isWord)
  const command = commandOf(commands, words)
  if (command === undefined) return withoutCommand(commands, args, io)
  const rest = args.slice(command.name.split(' ').length)
  if (rest.includes('--help')) return say(io, helpOf(command))
  try {
    return await command.run(withVisibleText(command, readCall(command, rest, io)))
  } catch (err) {
    return explain(err, { command, json: rest.includes('--json'), io })
  }
}

/**
 * Printing is the one place where text of others reaches a terminal, so it is escaped here. Text of
 * one line is escaped earlier, because a line break in it would forge a line.
 */
function withVisibleText(
  { printsDocument }: AnyCommand,
  call: Call<OptionSpecs>,
): Call<OptionSpecs> {
  const { json, out, note } = call
  return {
    ...call,
    out: json || printsDocument === true ? out : (text) => out(visibleLines(text)),
    note: (text) => note(visibleLines(text)),
  }
}

/** Prefers the longest matching name: `admin users list` before `admin users`. */
function commandOf(commands: readonly AnyCommand[], words: readonly string[]) {
  return commands
    .filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
    .toSorted((a, b) => b.name.length - a.name.length)[0]
}

function withoutCommand(
  commands: readonly AnyCommand[],
  args: readonly string[],
  io: Io,
): ExitCode {
  const asksHelp = args[0] === 'help' || args.includes('--help')
  const name = args.filter((arg) => arg !== 'help' && arg !== '--help').join(' ')
  const exact = commands.find((command) => command.name === name)
  if (asksHelp && exact) return say(io, helpOf(exact))
  const isKnown = name === '' || commands.some((command) => command.name.startsWith(`${name} `))
  if (!isKnown) {
    io.note(`There is no command "${name}": surehook --help lists what there is.`)
    return exitCodes.usage
  }
  if (asksHelp) return say(io, helpOfAll(commands, name))
  io.note(helpOfAll(commands, name))
  return exitCodes.usage
}

function sayAll(io: Io, lines: readonly string[]): ExitCode {
  for (const line of lines) io.out(line)
  return exitCodes.ok
}

function say(io: Io, text: string): ExitCode {
  io.out(text)
  return exitCodes.ok
}

type CommandRun = { command: AnyCommand; json: boolean; io: Io }

function explain(err: unknown, { command, json, io }: CommandRun): ExitCode {
  if (err instanceof UsageError) {
    const message = visibleLines(err.message)
    io.note(`${message}\nsurehook ${command.name} --help says how it is called.`)
    return exitCodes.usage
  }
  const facts = err instanceof Failure ? err.facts : {}
  if (json) io.out(JSON.stringify({ message: reasonOf(err), ...facts }, null, 2))
  else io.note(visibleLines(reasonOf(err)))
  return err instanceof Failure ? err.exitCode : exitCodes.wrong
}
