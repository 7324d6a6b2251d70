import { defaultAuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import { type OptionSpec, UsageError } from '../cli/command.ts'
import { leavesOf } from '../output/text-table.ts'

type Setting = { path: readonly string[]; option: string; kind: 'boolean' | 'number' | 'text' }

/** Every setting of the contract. `lockout.threshold` becomes `--lockout-threshold`. */
const settings: readonly Setting[] = leavesOf(defaultAuthSettings).map(([path, value]) => ({
  path: path.split('.'),
  option: path.replaceAll('.', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  kind: kindOf(value),
}))

function kindOf(value: unknown): Setting['kind'] {
  return typeof value === 'boolean' || typeof value === 'number'
    ? (typeof value as 'boolean')
    : 'text'
}

const values = { boolean: 'true|false', number: 'number', text: 'text' } as const

/** One option per setting. The value `null` resets the setting to its default. */
export const settingsOptions: Readonly<Record<string, OptionSpec>> = Object.fromEntries(
  settings.map(({ path, option, kind }) => [
    option,
    { type: 'string', value: `${values[kind]}|null`, help: path.join('.') },
  ]),
)

/** Merges the settings from options over those from a file. */
export function settingsFrom(
  given: Readonly<Record<string, unknown>>,
  base: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const changed = structuredClone(base) as Record<string, unknown>
  for (const { path, option, kind } of settings) {
    const text = given[option]
    if (typeof text === 'string') set(changed, path, valueOf(option, kind, text))
  }
  return changed
}

function valueOf(option: string, kind: Setting['kind'], text: string): unknown {
  if (text === 'null') return null
  if (kind === 'text') return text
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (kind === 'number' && /^-?\d+$/.test(text)) return Number(text)
  throw new UsageError(`--${option}: ${values[kind].replace('|', ', ')} or null, not "${text}"`)
}

function set(
  target: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
) {
  if (rest.length === 0) {
    target[name] = value
    return
  }
  const inner = target[name]
  // A group that the file resets with `null` has no fields yet.
  const group =
    typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
  target[name] = group
  set(group, rest, value)
}
