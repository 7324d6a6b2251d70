import { type FilterJson, mapOperands } from './map-operands.ts'

/** Returns the fields of the record on which the filter depends, without paths inside their JSON. */
export function testedFields(where: FilterJson): Set<string> {
  const fields = new Set<string>()
  mapOperands(where, (operand, { field }) => {
    const [name = field] = field.split('.')
    fields.add(name)
    return operand
  })
  return fields
}
