import { type Column, type ColumnType, type Test, testsOf, typeOf } from './columns.ts'
import { type Group, isList, type Member, type Row, type Scalar } from './model.ts'
import { type Kind, kindOf, kindsOf, valueAs } from './values.ts'

/** The group with another member at the index, or without it. */
export function withMember(group: Group, index: number, member: Member | null): Group {
  const of = group.of.flatMap((one, place) => {
    if (place !== index) return [one]
    return member === null ? [] : [member]
  })
  return { ...group, of }
}

/** The test of a row. */
export function testOf({ operator, operand }: Row): Test {
  if (operand !== null) return operator
  if (operator === 'eq') return 'isNull'
  return operator === 'ne' ? 'isNotNull' : operator
}

/** The row for another column. It keeps the test and the value as far as they fit. */
export function withField(row: Row, field: string, columns: readonly Column[] | null): Row {
  const type = typeOf(field, columns)
  const test = testOf(row)
  const fitting = testsOf(type).includes(test) ? test : 'eq'
  return changedRow(field, fitting, { row, type, isNew: true })
}

export function withTest(row: Row, test: Test, columns: readonly Column[] | null): Row {
  const { field } = row
  return changedRow(field, test, { row, type: typeOf(field, columns), isNew: false })
}

type Before = {
  row: Row
  type: ColumnType | null
  /** A text that was typed for another column is no beginning of a number or a time. */
  isNew: boolean
}

function changedRow(field: string, test: Test, { row, type, isNew }: Before): Row {
  if (test === 'isNull') return { kind: 'row', field, operator: 'eq', operand: null }
  if (test === 'isNotNull') return { kind: 'row', field, operator: 'ne', operand: null }
  const kinds = kindsOf(type, test)
  const [usual = 'text'] = kinds
  const values = valuesOf(row)
    .map((value) => {
      const kind = isNew ? strictKind(value) : kindOf(value, kinds)
      return kinds.includes(kind) ? value : valueAs(usual, value)
    })
    .filter((value) => value !== '')
  if (isList(test)) return { kind: 'row', field, operator: test, operand: values }
  const [value = valueAs(usual, '')] = values
  return { kind: 'row', field, operator: test, operand: value }
}

const valuesOf = (row: Row): readonly Scalar[] => {
  if (isList(row.operator)) return row.operand as readonly Scalar[]
  // Null was a test, not a value.
  return row.operand === null ? [] : [row.operand as Scalar]
}

const strictKind = (value: Scalar): Kind => (typeof value === 'string' ? 'text' : kindOf(value, []))
