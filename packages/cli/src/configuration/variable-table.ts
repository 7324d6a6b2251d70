import * as z from 'zod'
import { serviceNames } from '../lib/service-catalog.ts'
import { loadServiceConfiguration } from '../lib/service-configuration.ts'
import { type Meaning, meanings } from './meanings.ts'

export type Variable = Meaning & {
  name: string
  services: readonly string[]
  /** True if at least one service requires it. */
  isRequired: boolean
  /** Services for which it is optional although others require it. */
  optionalFor: readonly string[]
  /** Allowed values: a closed set or a range. Empty if any value is allowed. */
  values: string
}

/** Reads every variable of every service from its schema. Throws when a variable has no meaning. */
export async function readVariables(): Promise<Variable[]> {
  const fields = new Map<string, { schema: z.ZodType; services: string[]; without: string[] }>()
  for (const service of serviceNames) {
    const configuration = await loadServiceConfiguration(service)
    if (!(configuration?.Env instanceof z.ZodObject)) throw new Error(`${service} exports no Env`)
    for (const [name, schema] of Object.entries(configuration.Env.shape)) {
      const known = fields.get(name) ?? {
        schema: schema as z.ZodType,
        services: [],
        without: [],
      }
      known.services.push(service)
      if (isOptional(schema as z.ZodType)) known.without.push(service)
      fields.set(name, known)
    }
  }
  const unexplained = [...fields.keys()].filter((name) => meanings[name] === undefined)
  if (unexplained.length > 0)
    throw new Error(`these variables have no meaning written: ${unexplained.join(', ')}`)
  const unread = Object.keys(meanings).filter((name) => !fields.has(name))
  if (unread.length > 0) throw new Error(`no service reads these variables: ${unread.join(', ')}`)
  return [...fields].map(([name, { schema, services, without }]) => ({
    name,
    services,
    isRequired: without.length < services.length,
    optionalFor: without.length < services.length ? without : [],
    ...describe(schema),
    meaning: '',
    ...meanings[name],
  }))
}

const isOptional = (schema: z.ZodType) => schema.safeParse(undefined).success

function describe(schema: z.ZodType) {
  const preset = defaultOf(schema)
  return {
    values: valuesOf(schema),
    ...(preset !== undefined && { default: preset }),
  }
}

/** Returns the wrapped schemas from the outermost to the innermost. */
function layersOf(schema: z.ZodType): z.ZodType[] {
  const inner =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional
      ? schema.def.innerType
      : schema instanceof z.ZodPipe
        ? schema.def.in
        : undefined
  return inner === undefined ? [schema] : [schema, ...layersOf(inner as z.ZodType)]
}

function defaultOf(schema: z.ZodType): string | undefined {
  for (const layer of layersOf(schema)) {
    if (!(layer instanceof z.ZodDefault || layer instanceof z.ZodPrefault)) continue
    const value: unknown = layer.def.defaultValue
    return value === '' ? undefined : String(value)
  }
  return undefined
}

function valuesOf(schema: z.ZodType): string {
  const innermost = layersOf(schema).at(-1)
  if (innermost instanceof z.ZodEnum) return innermost.options.map((one) => `\`${one}\``).join(', ')
  if (!(innermost instanceof z.ZodNumber)) return ''
  const { minValue: least, maxValue: most } = innermost
  if (most === null || most >= Number.MAX_SAFE_INTEGER)
    return least === null ? '' : `from ${Math.max(1, least)}`
  return `${least ?? ''} to ${most}`
}

/** Renders the reference page for operators. */
export function variablesPage(variables: readonly Variable[]): string {
  return [
    '# Configuration',
    '',
    'This page lists every variable of every service.',
    '',
    'A service with a missing or wrong variable stops at once and names all faults. Check the variables',
    'before: `surehook doctor --env-file <file>`. An empty variable counts as absent. Write durations as',
    '`250ms`, `5s`, `2m`, `1h` or `1d`. Keep a **secret** in a Secret, the rest in a ConfigMap.',
    '',
    '| variable | services | default | meaning |',
    '| --- | --- | --- | --- |',
    ...variables.map(rowOf),
    '',
    '`surehook prepare database` has [variables of its',
    "own](../../packages/cli/README.md#surehook-prepare-database): an administrator's",
    '`DATABASE_URL`, and the passwords for the roles of the services.',
    '',
  ].join('\n')
}

function rowOf(variable: Variable): string {
  const { name, services, isRequired, optionalFor, values, meaning, secret } = variable
  const preset = variable.default === undefined ? 'none' : codeOf(variable.default)
  const cells = [
    `\`${name}\``,
    servicesInWords(services),
    isRequired ? ['required', ...optionalFor.map((one) => `${one}: optional`)].join(', ') : preset,
    [
      `${meaning}.`,
      ...(values === '' ? [] : [`Values: ${values}.`]),
      ...(secret ? ['**Secret.**'] : []),
    ].join(' '),
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

const codeOf = (text: string) => (text === 'cores' ? text : `\`${text}\``)

function servicesInWords(services: readonly string[]): string {
  const others = serviceNames.filter((name) => !services.includes(name))
  if (others.length === 0) return 'all'
  if (others.length === 1) return `all but ${others[0]}`
  return services.join(', ')
}
