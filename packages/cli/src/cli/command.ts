/**
 * Exit codes: success, a problem found or an operation refused, wrong usage, no answer, a
 * difference that the command was asked to find, and a reader of the output that ended first.
 * Shells report the last one, 128 + SIGPIPE, for other programs too.
 */
export const exitCodes = {
  ok: 0,
  wrong: 1,
  usage: 2,
  unreachable: 3,
  differs: 4,
  brokenPipe: 141,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** One `--option` of a command. */
export type OptionSpec = {
  type: 'string' | 'boolean'
  help: string
  /** Placeholder of the value in the help: `duration` shows as `--wait <duration>`. */
  value?: string
  default?: string
  required?: true
  /** True if the option may be repeated. */
  multiple?: true
  /** The only values: others are refused, and shells complete them. */
  choices?: readonly string[]
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

/** Environment of a command: its inputs and outputs. */
export type Io = {
  readonly env: NodeJS.ProcessEnv
  /** Writes a line of the requested result to standard output. */
  out(line: string): void
  /** Writes a line of progress to standard error. */
  note(line: string): void
  readonly signal: AbortSignal
  now(): number
  /** Default: the standard input of the process. */
  readonly stdin?: Input
  /** The characters in a line of the terminal. Absent if the output is no terminal. */
  readonly columns?: number | undefined
}

export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean }

export type Call<Specs extends OptionSpecs> = Io & {
  readonly values: Values<Specs>
  /** Arguments after the command's name, by their names in `positionals`. */
  readonly words: Readonly<Record<string, string>>
  /** The optional arguments behind `words`: empty for a command without `more`. */
  readonly more: readonly string[]
  /** True if `--json` was given: print one JSON document to standard output. */
  readonly json: boolean
}

export const audiences = ['developers', 'operators'] as const
type Audience = (typeof audiences)[number]

/** Options and variables that many commands have. The reference describes them once. */
export type OptionGroup = {
  readonly title: string
  readonly options: OptionSpecs
  readonly variables: Readonly<Record<string, string>>
}

export type Command<Specs extends OptionSpecs = OptionSpecs> = {
  /** Words after `surehook`, such as `prepare database`. */
  readonly name: string
  readonly summary: string
  /** Further text for the command's own help. */
  readonly details?: string
  /** Calls as a user types them, without `surehook`. */
  readonly examples?: readonly string[]
  readonly options: Specs
  /** Default: operators. The help lists both apart. */
  readonly audience?: Audience
  /** True if the output is a document for a file or a program: it is printed as it is. */
  readonly printsDocument?: true
  /** The group that some of `options` and `variables` are of. */
  readonly group?: OptionGroup
  /** Required arguments after the name, in this order. */
  readonly positionals?: readonly string[]
  /** Name of the optional arguments behind `positionals`, of which any number may follow. */
  readonly more?: string
  /** Environment variables that the command reads, with their meaning. */
  readonly variables?: Readonly<Record<string, string>>
  /**
   * Declared as a method: method parameters are bivariant, so commands with different options fit
   * in one list.
   */
  run(call: Call<Specs>): Promise<ExitCode>
}

export type AnyCommand = Command

/** Defines one command. Parsing, help and the list of commands derive from the definition. */
export function defineCommand<const Specs extends OptionSpecs>(
  command: Command<Specs>,
): Command<Specs> {
  return Object.freeze(command)
}

/** Wrong usage: exit code 2. The message is a sentence for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A failure that the message fully explains: exit code 1, without a stack trace. */
export class Failure extends Error {
  override readonly name: string = 'Failure'
  readonly exitCode: ExitCode = exitCodes.wrong
  /** Further fields of the `--json` output. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor(message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.facts = facts
  }
}

/** No answer came: exit code 3. */
export class Unreachable extends Failure {
  override readonly name = 'Unreachable'
  override readonly exitCode = exitCodes.unreachable
}
