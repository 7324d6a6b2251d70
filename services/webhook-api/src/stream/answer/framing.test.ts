import { describe, expect, it } from '@jest/globals'
import type { ChangeEvent } from '@surehook/contracts/events'
import { buildBody } from '@surehook/matching/build-body'
import fc from 'fast-check'
import { ndjsonLine, sseEvent, sseHeartbeat, sseStart } from './framing.ts'

type DispatchedEvent = { event: string; id: string; data: string }

/** The parser of https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6. */
function parse(text: string): { events: DispatchedEvent[]; lastEventId: string } {
  const events: DispatchedEvent[] = []
  let lastEventId = ''
  let event = ''
  let data: string[] = []
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === '') {
      if (data.length > 0) events.push({ event, id: lastEventId, data: data.join('\n') })
      event = ''
      data = []
      continue
    }
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
    if (field === 'id' && !value.includes('\0')) lastEventId = value
  }
  return { events, lastEventId }
}

const changeOf = (record: string, more: Partial<ChangeEvent> = {}): ChangeEvent => ({
  id: '0199a1c6-7a64-7cc3-98c4-dc0c0c07398f',
  timestamp: '2026-01-01T12:00:00.000Z',
  projectId: 'shop',
  environment: 'live',
  table: 'orders',
  recordId: '1',
  operation: 'UPDATE',
  record,
  changedFields: ['a'],
  source: 'test',
  requestId: null,
  traceparent: null,
  ...more,
})

const records = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom('', '  ', '\t'))
  .map(([value, indent]) => JSON.stringify(value, null, indent))

describe('an event of a stream', () => {
  it('has the bytes that a webhook would get as its data', () => {
    fc.assert(
      fc.property(fc.array(records, { maxLength: 5 }), (all) => {
        const events = all.map((record) => changeOf(record))
        const text = events.map((event, index) =>
          sseEvent({ event, select: null }, index % 2 === 0 ? `c${index}` : undefined),
        )
        const parsed = parse(sseStart('c', null) + text.join(''))
        expect(parsed.events).toEqual(
          events.map((event, index) => ({
            event: 'UPDATE',
            id: `c${index - (index % 2)}`,
            data: buildBody(event, null).toString(),
          })),
        )
      }),
    )
  })

  it('keeps the meaning of a record with any line breaks between its tokens', () => {
    const event = changeOf('{\r\n"a":1,\r"b":\n"x\\ny"}')
    const [parsed] = parse(sseEvent({ event, select: null }, 'c')).events
    expect(JSON.parse(parsed?.data ?? '')).toMatchObject({ record: { a: 1, b: 'x\ny' } })
  })

  it('has the selected fields only', () => {
    const event = changeOf('{"a":1,"b":2}', { operation: 'DELETE' })
    const [parsed] = parse(sseEvent({ event, select: new Set(['b']) }, 'c')).events
    expect(parsed?.event).toBe('DELETE')
    expect(JSON.parse(parsed?.data ?? '')).toMatchObject({ record: { b: 2 }, data: { b: 2 } })
  })
})

it('a heartbeat moves the last event id and dispatches nothing', () => {
  expect(parse(sseStart('a', 'v') + sseHeartbeat('b'))).toEqual({ events: [], lastEventId: 'b' })
})

it('a line of a page holds cursor, headers without signatures, and the exact body', () => {
  fc.assert(
    fc.property(records, (record) => {
      const event = changeOf(record)
      const line = ndjsonLine({ event, select: null }, { cursor: 'c', timestampS: 1_767_268_800 })
      expect(line.indexOf('\n')).toBe(line.length - 1)
      const { cursor, headers, body } = JSON.parse(line) as Record<string, unknown>
      expect([cursor, body]).toEqual(['c', buildBody(event, null).toString()])
      expect(headers).toMatchObject({
        'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'webhook-timestamp': '1767268800',
        'x-service-event': 'UPDATE',
        'x-service-delivery': event.id,
      })
      expect(Object.keys(headers as object).filter((name) => name.includes('signature'))).toEqual(
        [],
      )
    }),
  )
})
