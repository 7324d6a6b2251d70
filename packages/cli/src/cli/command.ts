/** How a command ended: well; it found something wrong; it was not called as it should be. */
export const exitCodes = { ok: 0, wrong: 1, usage: 2 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** One `--option` of a command. */
export type OptionSpec = {
  type: 'string' | 'boolean'
  help: string
  /** What stands for the value in the help: `duration` shows as `--wait <duration>`. */
  value?: string
  default?: string
  required?: true
  /** May be given several times. */
  multiple?: true
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<Spec extends OptionSpec> = Spec extends { type: 'boolean' }
  ? boolean
  : Spec extends { multiple: true }
    ? readonly string[]
    : Spec extends { default: string } | { required: true }
      ? string
      : string | undefined

export type Values<Specs extends OptionSpecs> = {
  readonly [Name in keyof Specs]: ValueOf<Specs[Name]>
}

/** The world outside of a command: what it reads and where it writes. */
export type Io = {
  readonly env: NodeJS.ProcessEnv
  /** What was asked for: on standard output. */
  out(line: string): void
  /** What it says on its way: on standard error. */
  note(line: string): void
  readonly signal: AbortSignal
  now(): number
}

export type Call<Specs extends OptionSpecs> = Io & {
  readonly values: Values<Specs>
  /** The words after the command's name, by their names in `positionals`. */
  readonly words: Readonly<Record<string, string>>
  /** One JSON document is wanted on standard output. */
  readonly json: boolean
}

export type Command<Specs extends OptionSpecs = OptionSpecs> = {
  /** `prepare database`: what is typed after `surehook`. */
  readonly name: string
  readonly summary: string
  /** More than the summary, for its own help. */
  readonly details?: string
  readonly options: Specs
  /** Words that must follow the name, in this order. */
  readonly positionals?: readonly string[]
  /** The variables that it reads, with their meaning. */
  readonly variables?: Readonly<Record<string, string>>
  /** A method, so that commands of whatever options are in one list: each is called as it describes itself. */
  run(call: Call<Specs>): Promise<ExitCode>
}

export type AnyCommand = Command

/** One command as a value: parsing, help and the list of commands follow from it. */
export function defineCommand<const Specs extends OptionSpecs>(
  command: Command<Specs>,
): Command<Specs> {
  return Object.freeze(command)
}

/** It was called wrongly: exit code 2. The message is a sentence for who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Something is wrong that the message tells whole: exit code 1, without a stack. */
export class Failure extends Error {
  override readonly name = 'Failure'
  /** What `--json` shows besides the message. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.facts = facts
  }
}
