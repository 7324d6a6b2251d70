import { expect, it } from '@jest/globals'
import type { ChangeEvent } from '@surehook/contracts/events'
import { changesTopic } from '@surehook/contracts/topics'
import type { TypeCodec } from '@surehook/schemas/codec'
import { changeRecord } from './change-record.ts'

const change: TypeCodec<ChangeEvent> = {
  encode: (event) => Buffer.from(JSON.stringify(event)),
  decode: () => {
    throw new Error('not asked here')
  },
}
const toRecord = changeRecord({ change }, 'data-api')

it.each([
  [{}, 'data-api'],
  [{ source: 'http' }, 'http'],
])('a change with the header %j has the source %s', (header, source) => {
  const captured = { header: { topic: changesTopic, key: 'k', id: '1', ...header }, body: '{}' }
  const { topic, key, value } = toRecord(captured)
  expect([topic, key]).toEqual([changesTopic, 'k'])
  expect(JSON.parse(String(value))).toEqual({ id: '1', record: '{}', source })
})
