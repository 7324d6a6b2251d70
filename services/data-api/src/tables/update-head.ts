import { testedFields } from '@surehook/contracts/filter/tested-fields'
import { quoteIdent, quoteLiteral } from '../sql/quote.ts'
import type { TableDefinition } from '../table-definition.ts'
import { isoTimestamp, valueTypes } from '../values/value-types.ts'

/** Returns the fields that the rules of reading test. */
const rulesTest = ({ access }: TableDefinition): string[] => {
  const rules = access.read.filter((entry) => typeof entry !== 'string')
  return [...new Set(rules.flatMap(({ where }) => [...testedFields(where ?? {})]))]
}

/**
 * SQL for the head of an update's event. If a field changes that a rule of reading tests, the head
 * gets the values before, from which streams tell who could read the record.
 */
export function updateHead(table: TableDefinition): string {
  const tested = rulesTest(table)
  const values = table.columns.filter(({ name }) => tested.includes(name))
  const fields = values.map(({ name, type }) => {
    const column = quoteIdent(name)
    return `${valueTypes[type].toJson(`o.${column}`)} as ${column}`
  })
  // It changes with every update.
  const isTimeTested = tested.includes('updatedAt')
  if (isTimeTested) fields.push(`${isoTimestamp('o."updatedAt"')} as "updatedAt"`)
  if (fields.length === 0) return '$1'
  const names = values.map(({ name }) => quoteLiteral(name))
  const isChanged = isTimeTested ? 'true' : `d.fields && array[${names.join(', ')}]`
  const before = `(select row_to_json("P")::text from (select ${fields.join(', ')}) "P")`
  return `case when ${isChanged}
    then concat('{"previous":', to_json(${before}), ',', substr($1, 2)) else $1 end`
}
