import { parseArgs } from 'node:util'
import { reasonOf } from '@surehook/service-kit/errors'
import { type AnyCommand, type Call, type Io, type OptionSpecs, UsageError } from './command.ts'

type ParsedOptions = Record<string, string | boolean | (string | boolean)[] | undefined>

/** Options of every command. */
export const commonOptions = {
  json: { type: 'boolean', help: 'print JSON: one document, or one line per item of a list' },
  help: { type: 'boolean', help: 'show this help' },
} as const satisfies OptionSpecs

/**
 * Parses the arguments after a command's name. Throws `UsageError` for unknown and missing
 * arguments.
 */
export function readCall(command: AnyCommand, args: readonly string[], io: Io): Call<OptionSpecs> {
  const { values: given, positionals } = parse(command, args)
  const names = command.positionals ?? []
  const more = positionals.slice(names.length)
  const [extra] = more
  if (extra !== undefined && command.more === undefined)
    throw new UsageError(`unexpected argument "${extra}"`)
  const missing = names[positionals.length]
  if (missing !== undefined) throw new UsageError(`<${missing}> is missing`)
  const words = Object.fromEntries(names.map((name, index) => [name, positionals[index] ?? '']))
  const values = valuesOf(command.options, given)
  return { ...io, values, words, more, json: given['json'] === true }
}

function parse(command: AnyCommand, args: readonly string[]) {
  const options = Object.fromEntries(
    Object.entries({ ...command.options, ...commonOptions }).map(([name, spec]) => [
      name,
      { type: spec.type, multiple: 'multiple' in spec },
    ]),
  )
  try {
    const read = { args: withDashedValues(command, args), options, allowPositionals: true }
    const { values, positionals } = parseArgs(read)
    return { values: values as ParsedOptions, positionals }
  } catch (err) {
    // Drops the parser's advice, which is about arguments that begin with a dash.
    throw new UsageError(reasonOf(err).split('. ')[0] ?? '', { cause: err })
  }
}

/** The parser takes `-total` in `--order -total` for an option, but not in `--order=-total`. */
function withDashedValues({ options }: AnyCommand, args: readonly string[]): string[] {
  const joined: string[] = []
  for (const arg of args) {
    const before = joined.at(-1) ?? ''
    const takesValue = before.startsWith('--') && options[before.slice(2)]?.type === 'string'
    if (takesValue && /^-[^-]/.test(arg)) joined[joined.length - 1] = `${before}=${arg}`
    else joined.push(arg)
  }
  return joined
}

function valuesOf(specs: OptionSpecs, given: ParsedOptions) {
  const entries = Object.entries(specs).map(([name, spec]) => {
    if (spec.type === 'boolean') return [name, given[name] === true]
    if (spec.multiple) return [name, given[name] ?? []]
    const value = given[name] ?? spec.default
    if (value === undefined && spec.required) throw new UsageError(`--${name} is missing`)
    if (spec.choices !== undefined && value !== undefined && !spec.choices.includes(String(value)))
      throw new UsageError(`--${name} is one of ${spec.choices.join(', ')}`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}
