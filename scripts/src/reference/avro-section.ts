import { code, paragraph, sentence, table } from './markdown.ts'

type AvroType =
  | string
  | readonly AvroType[]
  | {
      type: string
      name?: string
      symbols?: readonly string[]
      items?: AvroType
      fields?: readonly AvroField[]
    }

type AvroField = { name: string; type: AvroType; doc?: string; default?: unknown }

export type AvroRecord = { name: string; doc: string; fields: readonly AvroField[] }

/** Describes a record with its key and its fields. */
export function recordSection({ name, doc, fields }: AvroRecord): string[] {
  return [
    `## ${name}`,
    '',
    ...paragraph(doc),
    ...table(['field', 'type', 'default', 'meaning'], rowsOf(fields, '')),
  ]
}

function rowsOf(fields: readonly AvroField[], prefix: string): string[][] {
  return fields.flatMap((field) => [
    [
      code(`${prefix}${field.name}`),
      typeOf(field.type),
      field.default === undefined ? '' : code(JSON.stringify(field.default)),
      sentence(field.doc ?? ''),
    ],
    ...rowsOf(...innerOf(field, prefix)),
  ])
}

/** Returns the fields of a record inside a list or an option. */
function innerOf({ name, type }: AvroField, prefix: string): [readonly AvroField[], string] {
  const [only] = optionsOf(type).filter((one) => one !== 'null')
  if (typeof only !== 'object' || Array.isArray(only)) return [[], '']
  const { items, fields = [] } = only as Exclude<AvroType, string | readonly AvroType[]>
  if (items === undefined) return [fields, `${prefix}${name}.`]
  return innerOf({ name: `${name}[]`, type: items }, prefix)
}

const optionsOf = (type: AvroType): readonly AvroType[] => (isUnion(type) ? type : [type])

const isUnion = (type: AvroType): type is readonly AvroType[] => Array.isArray(type)

function typeOf(type: AvroType): string {
  if (isUnion(type)) {
    const [least, ...others] = [...type].sort((a, b) => Number(a === 'null') - Number(b === 'null'))
    return [least, ...others].map((one) => typeOf(one ?? 'null')).join(' or ')
  }
  if (typeof type === 'string') return type
  if (type.type === 'array') return `array of ${typeOf(type.items ?? 'null')}`
  if (type.type === 'enum') return (type.symbols ?? []).map(code).join(' ')
  return type.type
}
