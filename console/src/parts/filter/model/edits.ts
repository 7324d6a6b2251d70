import { type Column, operatorsOf, typeOf } from './columns.ts'
import { type Group, isList, type Member, type Operator, type Row, type Scalar } from './model.ts'
import { type Kind, kindOf, kindsOf, valueAs } from './values.ts'

/** The group with another member at the index, or without it. */
export function withMember(group: Group, index: number, member: Member | null): Group {
  const of = group.of.flatMap((one, place) => {
    if (place !== index) return [one]
    return member === null ? [] : [member]
  })
  return { ...group, of }
}

/** The row for another column. It keeps the operator and the value as far as they fit. */
export function withField(row: Row, field: string, columns: readonly Column[] | null): Row {
  const type = typeOf(field, columns)
  const operator = operatorsOf(type).includes(row.operator) ? row.operator : 'eq'
  return rowOf({ field, operator }, valuesOf(row), { kinds: kindsOf(type, operator), isNew: true })
}

export function withOperator(row: Row, operator: Operator, columns: readonly Column[] | null): Row {
  const { field } = row
  const kinds = kindsOf(typeOf(field, columns), operator)
  return rowOf({ field, operator }, valuesOf(row), { kinds, isNew: false })
}

type Fit = {
  kinds: readonly Kind[]
  /** A text that was typed for another column is no beginning of a number or a time. */
  isNew: boolean
}

const valuesOf = (row: Row): readonly Scalar[] =>
  (isList(row.operator) ? (row.operand as readonly Scalar[]) : [row.operand as Scalar]).filter(
    (value) => value !== '',
  )

function rowOf(
  { field, operator }: Pick<Row, 'field' | 'operator'>,
  before: readonly Scalar[],
  { kinds, isNew }: Fit,
): Row {
  const [usual = 'text'] = kinds
  const values = before.map((value) => {
    const kind = isNew ? strictKind(value) : kindOf(value, kinds)
    return kinds.includes(kind) ? value : valueAs(usual, value)
  })
  if (isList(operator)) {
    return { kind: 'row', field, operator, operand: values.filter((value) => value !== '') }
  }
  const [value = valueAs(usual, '')] = values
  return { kind: 'row', field, operator, operand: value }
}

const strictKind = (value: Scalar): Kind => (typeof value === 'string' ? 'text' : kindOf(value, []))
