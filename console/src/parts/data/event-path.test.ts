import { expect, it } from '@jest/globals'
import { eventPath } from './event-path.ts'

const at = '2026-11-25T12:00:00.000Z'

it.each([
  ['0193638a-1b2c-7def-8abc-0123456789ab', at, '/events/0193638a-1b2c-7def-8abc-0123456789ab'],
  [
    '2f1e1c9a-4d3b-4c2a-9f00-0123456789ab',
    at,
    '/events/2f1e1c9a-4d3b-4c2a-9f00-0123456789ab?at=2026-11-25T12%3A00%3A00.000Z',
  ],
  ['a/b', undefined, '/events/a%2Fb'],
])('leads to the event %j of %j', (id, time, path) => {
  expect(eventPath(id, time)).toBe(path)
})
