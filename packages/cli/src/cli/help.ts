import { type AnyCommand, audiences, type OptionSpec, type OptionSpecs } from './command.ts'
import { commonOptions } from './read-call.ts'

const codes = [
  'Exit codes: 0 ok, 1 refused or something is wrong, 2 wrong call, 3 the platform does not answer,',
  '4 apply --dry-run or types --check found a difference, 141 the reader of the output, such as',
  'head, ended before the command was done.',
].join('\n')

/** Lists the commands whose names begin with `prefix`, one per line. */
export function helpOfAll(commands: readonly AnyCommand[], prefix = ''): string {
  const shown = commands.filter(({ name }) =>
    `${name} `.startsWith(prefix === '' ? '' : `${prefix} `),
  )
  return [
    `Usage: surehook ${prefix === '' ? '' : `${prefix} `}<command> [options]`,
    '',
    ...namesOf(shown),
    '',
    'surehook <command> --help shows the options of a command. surehook --version shows the version.',
    codes,
  ].join('\n')
}

/** Lists commands, with a title for each audience if there are both. */
function namesOf(commands: readonly AnyCommand[]): string[] {
  const rows = table(commands.map(({ name, summary }) => [name, summary]))
  const parts = audiences.map((audience) => ({
    audience,
    lines: rows.filter((_, at) => audienceOf(commands[at]) === audience),
  }))
  const [first, ...others] = parts.filter(({ lines }) => lines.length > 0)
  if (others.length === 0) return first?.lines ?? []
  return parts.flatMap(({ audience, lines }, at) => [
    ...(at === 0 ? [] : ['']),
    `For ${audience}:`,
    ...lines,
  ])
}

export const audienceOf = (command: AnyCommand | undefined) => command?.audience ?? 'operators'

export function helpOf(command: AnyCommand): string {
  const { group } = command
  const own = ownOf(command)
  return [
    `Usage: ${usageOf(command)}`,
    '',
    command.summary,
    ...(command.details === undefined ? [] : ['', command.details]),
    ...section('Options', optionRows({ ...own.options, ...commonOptions })),
    ...(group === undefined ? [] : section(group.title, optionRows(group.options))),
    ...section('Variables', Object.entries({ ...own.variables, ...group?.variables })),
    ...examplesOf(command),
    '',
    codes,
  ].join('\n')
}

/** The options and variables of a command that are not of its group. */
export function ownOf({ options, variables = {}, group }: AnyCommand) {
  const without = <Value>(all: Readonly<Record<string, Value>>, shared: object = {}) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !Object.hasOwn(shared, name)))
  return {
    options: without(options, group?.options),
    variables: without(variables, group?.variables),
  }
}

/** The words of a call, such as `surehook listen [table…] [options]`. */
export function usageOf({ name, positionals = [], more }: Omit<AnyCommand, 'run'>): string {
  const words = positionals.map((word) => ` <${word}>`).join('')
  return `surehook ${name}${words}${more === undefined ? '' : ` [${more}…]`} [options]`
}

function examplesOf({ examples = [] }: AnyCommand): string[] {
  if (examples.length === 0) return []
  return ['', 'Examples:', ...examples.map((example) => `  surehook ${example}`)]
}

function section(title: string, rows: readonly (readonly [string, string])[]): string[] {
  return rows.length === 0 ? [] : ['', `${title}:`, ...table(rows)]
}

function optionRows(options: OptionSpecs): [string, string][] {
  return Object.entries(options).map(([name, spec]) => {
    const value = spec.type === 'string' ? ` <${spec.value ?? 'text'}>` : ''
    return [`--${name}${value}`, `${spec.help}${remark(spec)}`]
  })
}

function remark({ choices, required, multiple, default: usual }: OptionSpec): string {
  const remarks = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(required ? ['required'] : []),
    ...(multiple ? ['may be given several times'] : []),
    ...(usual === undefined ? [] : [`default ${usual}`]),
  ]
  return remarks.length === 0 ? '' : ` (${remarks.join('; ')})`
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
