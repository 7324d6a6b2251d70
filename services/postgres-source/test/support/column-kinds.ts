import fc from 'fast-check'

const double = fc.constantFrom(
  '0',
  '-0',
  '1e-300',
  '1.7976931348623157e308',
  '0.1',
  "'NaN'",
  "'Infinity'",
  "'-Infinity'",
  '123456789.123',
)
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
const anyText = fc
  .string({ unit: 'grapheme', maxLength: 20 })
  .map((text) => text.replaceAll('\0', ''))
const moments = fc.constantFrom(
  "'2026-11-30 12:00:00.123456'",
  "'0001-01-01'",
  "'9999-12-31 23:59:59.999999'",
  "'infinity'",
  "'-infinity'",
  "'0044-03-15 BC'",
  "'20000-01-01'",
)
const iso = (column: string) =>
  `case when ${column}::text ~ '^\\d{4}-[^BC]*$'
        then to_json(replace(to_json(${column}) #>> '{}', '+00:00', '') || 'Z')
        else to_json(${column}::text) end`
/** Column types, a generator of SQL literals, and SQL for the JSON that the value should become. */
export const kinds: Record<
  string,
  { values: fc.Arbitrary<string>; json: (column: string) => string }
> = {
  smallint: {
    values: fc.integer({ min: -32768, max: 32767 }).map(String),
    json: (c) => `to_json(${c})`,
  },
  integer: { values: fc.integer().map(String), json: (c) => `to_json(${c})` },
  bigint: {
    values: fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }).map(String),
    json: (c) => `to_json(${c}::text)`,
  },
  numeric: {
    values: fc.constantFrom("'NaN'", '1e400', '0.10', '-12345678901234567890.5', '0'),
    json: (c) => `to_json(${c}::text)`,
  },
  'double precision': { values: double, json: (c) => `to_json(${c})` },
  boolean: { values: fc.constantFrom('true', 'false'), json: (c) => `to_json(${c})` },
  text: { values: anyText.map(literal), json: (c) => `to_json(${c})` },
  'varchar(40)': {
    values: anyText.map((text) => literal(Array.from(text).slice(0, 40).join(''))),
    json: (c) => `to_json(${c})`,
  },
  bytea: {
    values: fc
      .uint8Array({ maxLength: 90 })
      .map((bytes) => `'\\x${Buffer.from(bytes).toString('hex')}'`),
    json: (c) => `to_json(replace(encode(${c}, 'base64'), E'\\n', ''))`,
  },
  date: {
    values: fc.constantFrom("'2026-02-28'", "'infinity'", "'0044-03-15 BC'"),
    json: (c) => `to_json(${c}::text)`,
  },
  timestamp: { values: moments, json: iso },
  timestamptz: { values: moments, json: iso },
  uuid: { values: fc.uuid().map(literal), json: (c) => `to_json(${c})` },
  jsonb: {
    values: fc
      .json({ maxDepth: 3 })
      .filter((text) => !text.includes('\\u0000'))
      .map(literal),
    json: (c) => c,
  },
  json: {
    values: fc.constantFrom("'[1, 2 ,3]'", "'1e400'", "'null'", `'{"a" : {}}'`),
    json: (c) => c,
  },
  interval: {
    values: fc.constantFrom("'1 mon 2 days 03:04:05'", "'-1 year'"),
    json: (c) => `to_json(${c}::text)`,
  },
  inet: { values: fc.constantFrom("'192.0.2.1/24'", "'::1'"), json: (c) => `to_json(${c})` },
  int4range: { values: fc.constantFrom("'[1,5)'", "'empty'"), json: (c) => `to_json(${c}::text)` },
  mood: { values: fc.constantFrom("'fine'", '\'so, "so"\''), json: (c) => `to_json(${c}::text)` },
  'integer[]': {
    values: fc.constantFrom("'{}'", "'{1,NULL,3}'", "'{{1,2},{3,4}}'", "'[0:1]={7,8}'"),
    json: (c) => `to_json(${c})`,
  },
  'text[]': {
    values: fc
      .array(anyText, { maxLength: 4 })
      .map((all) => `array[${all.map(literal).join(',')}]::text[]`),
    json: (c) => `to_json(${c})`,
  },
  'bigint[]': {
    values: fc.constantFrom("'{9223372036854775807}'"),
    json: (c) => `to_json(${c}::text[])`,
  },
  'mood[]': {
    values: fc.constantFrom(`'{fine,"so, \\"so\\""}'`),
    json: (c) => `to_json(${c}::text[])`,
  },
}

export type Kind = keyof typeof kinds
export const kindNames = Object.keys(kinds)
