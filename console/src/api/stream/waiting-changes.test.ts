import { expect, it } from '@jest/globals'
import type { ChangeEvent } from '@surehook/client'
import { kept, WaitingChanges } from './waiting-changes.ts'

const change = (n: number) => ({ id: String(n) }) as ChangeEvent

it('keeps the last changes, newest first, and counts all', () => {
  const waiting = new WaitingChanges()
  for (let n = 1; n <= 1_000; n++) waiting.add(change(n))
  const { changes, count } = waiting.take()
  expect(count).toBe(1_000)
  expect(changes).toHaveLength(kept)
  expect([changes[0], changes.at(-1)]).toEqual([change(1_000), change(1_001 - kept)])
  expect(waiting.take()).toEqual({ changes: [], count: 0 })
})
