import { describe, expect, it } from '@jest/globals'
import avro from 'avsc'
import { schemaFaults } from './schema-faults.ts'

type Field = { name: string; type: string; default?: unknown }

const id = { name: 'id', type: 'string' }
const note = { name: 'note', type: 'string' }
const noteWithDefault = { ...note, default: '' }

const event = (...fields: Field[]): avro.Schema => ({ type: 'record', name: 'Event', fields })
const faults = (earlier: avro.Schema, now: avro.Schema) =>
  schemaFaults(earlier, [{ type: avro.Type.forSchema(now) }])

describe('a schema beside an earlier one', () => {
  it.each([
    ['stays the same', event(id), event(id)],
    ['gets a field with a default', event(id), event(id, noteWithDefault)],
    ['loses a field with a default', event(id, noteWithDefault), event(id)],
  ])('%s', (_, earlier, now) => {
    expect(faults(earlier, now)).toEqual([])
  })

  it.each([
    ['gets a field without a default', event(id), event(id, note), /^this version does not read/],
    [
      'loses a field without a default',
      event(id, note),
      event(id),
      /^the earlier .* does not read/,
    ],
    [
      'changes a type',
      event(id),
      event({ name: 'id', type: 'long' }),
      /^this version does not read/,
    ],
    ['is gone', event(id), { type: 'record', name: 'Other', fields: [] }, /^Event is gone/],
  ] satisfies [string, avro.Schema, avro.Schema, RegExp][])(
    'is refused if it %s',
    (_, earlier, now, why) => {
      expect(faults(earlier, now)[0]).toMatch(why)
    },
  )

  it('is compared with the events of this version', () => {
    expect(schemaFaults(event(id))).toHaveLength(1)
  })
})
