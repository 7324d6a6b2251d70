import {
  type AnyCommand,
  audiences,
  exitCodes,
  type OptionGroup,
  type OptionSpec,
} from 'surehook/cli/command'
import { audienceOf, ownOf, usageOf } from 'surehook/cli/help'
import { commonOptions } from 'surehook/cli/read-call'
import { code, fence, paragraph, sentence, table } from './markdown.ts'

/** Capitalises a help text, which begins in lower case on a terminal. */
const spoken = (text: string): string => sentence(`${text.charAt(0).toUpperCase()}${text.slice(1)}`)

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'The command succeeded.',
  wrong: 'The command found something wrong, was refused, or failed.',
  usage:
    'The call is wrong: an unknown command or option, or a missing one. `ledger`: the ledger could ' +
    'not be taken, or is incomplete.',
  differs: '`apply --dry-run` or `types --check` found a difference.',
  brokenPipe: 'The reader of the output, such as `head`, ended before the command was done.',
  unreachable: "No answer came. The operator's commands exit with 1 instead, `ledger` with 2.",
}

/** Describes every command of `surehook`, from its own help. */
export function cliPage(commands: readonly AnyCommand[]): string {
  return [
    '# Commands and options',
    '',
    'This page lists every command of `surehook` with its options. `--help` shows the same.',
    '',
    ...table(
      ['exit code', 'meaning'],
      Object.entries(exitCodes).map(([name, number]) => [
        `${number}`,
        meanings[name as keyof typeof exitCodes],
      ]),
    ),
    'Every command takes these options:',
    '',
    ...optionTable(commonOptions),
    ...audiences.flatMap((audience) => [
      `Commands for ${audience}:`,
      '',
      ...commandTable(commands.filter((command) => audienceOf(command) === audience)),
    ]),
    ...groupsOf(commands).flatMap(groupSection),
    ...commands.flatMap(commandSection),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n')
}

const commandTable = (commands: readonly AnyCommand[]): string[] =>
  table(
    ['command', 'summary'],
    commands.map(({ name, summary }) => [
      `[${code(name)}](#surehook-${name.replaceAll(' ', '-')})`,
      spoken(summary),
    ]),
  )

const groupsOf = (commands: readonly AnyCommand[]): OptionGroup[] => [
  ...new Set(commands.flatMap(({ group }) => group ?? [])),
]

const groupSection = ({ title, options, variables }: OptionGroup): string[] => [
  `## ${title}`,
  '',
  'Several commands take these options. An option wins over a variable.',
  '',
  ...optionTable(options),
  ...variableTable(variables),
]

const anchorOf = (title: string): string => `#${title.toLowerCase().replaceAll(' ', '-')}`

function commandSection(command: AnyCommand): string[] {
  const { name, summary, details, examples = [], group } = command
  const { options, variables } = ownOf(command)
  return [
    `## surehook ${name}`,
    '',
    ...fence('bash', usageOf(command)),
    ...paragraph(spoken(summary)),
    ...(details === undefined ? [] : detailsOf(details)),
    ...(examples.length === 0 ? [] : fence('bash', examples.map(typed).join('\n'))),
    ...optionTable(options),
    ...variableTable(variables),
    ...(group === undefined ? [] : [`Further: [${group.title}](${anchorOf(group.title)}).`, '']),
  ]
}

const typed = (example: string): string => `surehook ${example}`

const variableTable = (variables: Readonly<Record<string, string>>): string[] =>
  table(
    ['variable', 'meaning'],
    Object.entries(variables).map(([variable, meaning]) => [
      variable.replaceAll(/[A-Z][A-Z_]+/g, code),
      spoken(meaning),
    ]),
  )

/** Keeps aligned lines as they are, and joins sentences into a paragraph. */
const detailsOf = (details: string): string[] =>
  /^\w+: {1,2}\S/m.test(details) ? fence('text', details) : paragraph(details)

function optionTable(options: AnyCommand['options']): string[] {
  return table(
    ['option', 'default', 'meaning'],
    Object.entries(options).map(([name, { type, value = 'text', ...spec }]) => [
      code(`--${name}${type === 'string' ? ` <${value}>` : ''}`),
      spec.required ? 'required' : spec.default === undefined ? '' : code(spec.default),
      meaningOf(spec),
    ]),
  )
}

function meaningOf({ help, choices, multiple }: Omit<OptionSpec, 'type'>): string {
  const values = choices === undefined ? '' : ` One of ${choices.map(code).join(', ')}.`
  return `${spoken(help)}${values}${multiple ? ' You may give it several times.' : ''}`
}
