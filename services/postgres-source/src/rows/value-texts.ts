import type { ColumnType } from '@surehook/contracts/http/data/tables'
import { parse } from 'postgres-array'

/** How PostgreSQL's text of a value becomes JSON, and the type by which filters compare it. */
export type ValueText = {
  type: ColumnType
  /** @param text as PostgreSQL prints it in `sessionSettings` */
  toJson: (text: string) => string
}

/** The values' texts depend on these settings. Each session that reads rows or the WAL needs them. */
export const sessionSettings = {
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  // All digits of a double.
  extra_float_digits: '1',
} as const

const quoted = (text: string): string => JSON.stringify(text)
const asIs = (text: string): string => text

const asText: ValueText = { type: 'text', toJson: quoted }
const number: ValueText['toJson'] = (text) => (notFinite.has(text) ? quoted(text) : text)
/** JSON has no such numbers. As texts they equal and exceed no number. */
const notFinite: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity'])

const zoned = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(\+00)?$/

/**
 * ISO 8601 in UTC, with as many digits as the value has. A timestamp without time zone is taken as
 * UTC. `infinity` and years that ISO 8601 writes differently keep PostgreSQL's text.
 */
function timestamp(text: string): string {
  const match = zoned.exec(text)
  return quoted(match === null ? text : `${match[1]}T${match[2]}Z`)
}

/** `\x` and hexadecimal digits become base64. */
const bytes = (text: string): string =>
  quoted(Buffer.from(text.slice('\\x'.length), 'hex').toString('base64'))

const scalars: readonly (readonly [oid: number, arrayOid: number, ValueText])[] = [
  [16, 1000, { type: 'boolean', toJson: (text) => (text === 't' ? 'true' : 'false') }],
  [17, 1001, { type: 'text', toJson: bytes }],
  [20, 1016, { type: 'bigint', toJson: quoted }],
  [21, 1005, { type: 'integer', toJson: asIs }],
  [23, 1007, { type: 'integer', toJson: asIs }],
  [25, 1009, asText],
  [26, 1028, { type: 'bigint', toJson: quoted }],
  [114, 199, { type: 'json', toJson: asIs }],
  [700, 1021, { type: 'double', toJson: number }],
  [701, 1022, { type: 'double', toJson: number }],
  [1042, 1014, asText],
  [1043, 1015, asText],
  [1082, 1182, { type: 'date', toJson: quoted }],
  [1114, 1115, { type: 'timestamp', toJson: timestamp }],
  [1184, 1185, { type: 'timestamp', toJson: timestamp }],
  [1700, 1231, { type: 'decimal', toJson: quoted }],
  [2950, 2951, { type: 'uuid', toJson: quoted }],
  [3802, 3807, { type: 'json', toJson: asIs }],
]

/** An array of any dimensions. An element that is no array comes as text or null. */
type Elements = readonly (string | null | Elements)[]

function arrayJson(elements: Elements, element: ValueText['toJson']): string {
  const each = elements.map((value) => {
    if (value === null) return 'null'
    return typeof value === 'string' ? element(value) : arrayJson(value, element)
  })
  return `[${each.join(',')}]`
}

const arrayOf = ({ toJson }: ValueText): ValueText => ({
  type: 'json',
  toJson: (text) => arrayJson(parse(text), toJson),
})

const known = new Map<number, ValueText>(
  scalars.flatMap(([oid, arrayOid, value]) => [
    [oid, value],
    [arrayOid, arrayOf(value)],
  ]),
)

/**
 * The text of a type. Types that are not listed, such as enums, ranges and those of extensions, keep
 * PostgreSQL's text.
 *
 * @param elementOid of an array's element, from the catalogue; 0 for what is no array
 */
export function valueTextOf(typeOid: number, elementOid = 0): ValueText {
  return known.get(typeOid) ?? (elementOid === 0 ? asText : arrayOf(valueTextOf(elementOid)))
}
