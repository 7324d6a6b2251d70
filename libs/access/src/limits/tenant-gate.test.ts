import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { createTenantGate } from './tenant-gate.ts'

const shop = { projectId: 'shop', environment: 'master' }
const other = { projectId: 'shop', environment: 'staging' }

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Work that runs until the test ends it. */
function openWork() {
  const end = Promise.withResolvers<string>()
  let started = false
  const work = () => {
    started = true
    return end.promise
  }
  return { work, end, isStarted: () => started }
}

const settled = () => jest.advanceTimersByTimeAsync(0)

describe('the gate of a tenant', () => {
  test('admits up to its limit, and others in order as places become free', async () => {
    const gate = createTenantGate({ maxInside: 2, maxWaitMs: 3_000 })
    const works = [openWork(), openWork(), openWork(), openWork()] as const
    const results = works.map(({ work }) => gate.pass(shop, work))
    await settled()
    expect(works.map(({ isStarted }) => isStarted())).toEqual([true, true, false, false])

    works[1].end.resolve('second')
    await settled()
    expect(works.map(({ isStarted }) => isStarted())).toEqual([true, true, true, false])

    for (const { end } of works) end.resolve('done')
    expect(await Promise.all(results)).toEqual(['done', 'second', 'done', 'done'])
  })

  test('does not affect other tenants', async () => {
    const gate = createTenantGate({ maxInside: 1, maxWaitMs: 3_000 })
    const slow = openWork()
    const waiting = gate.pass(shop, slow.work)
    expect(await gate.pass(other, () => 'at once')).toBe('at once')
    slow.end.resolve('late')
    expect(await waiting).toBe('late')
  })

  test('refuses work that waited too long, without starting it', async () => {
    const gate = createTenantGate({ maxInside: 1, maxWaitMs: 3_000 })
    const slow = openWork()
    const late = openWork()
    const inside = gate.pass(shop, slow.work)
    const [refused] = await Promise.allSettled([
      gate.pass(shop, late.work),
      jest.advanceTimersByTimeAsync(3_000),
    ])
    expect(refused).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE', retryAfterS: 1 } })
    slow.end.resolve('done')
    await inside
    expect(late.isStarted()).toBe(false)
    expect(await gate.pass(shop, () => 'again')).toBe('again')
  })

  test('frees the place when the work fails', async () => {
    const gate = createTenantGate({ maxInside: 1, maxWaitMs: 3_000 })
    const failing = openWork()
    const failed = gate.pass(shop, failing.work)
    const next = gate.pass(shop, () => 'next')
    failing.end.reject(new Error('broken'))
    await expect(failed).rejects.toThrow('broken')
    expect(await next).toBe('next')
    await expect(
      gate.pass(shop, () => {
        throw new Error('at once')
      }),
    ).rejects.toThrow('at once')
    expect(await gate.pass(shop, () => 'still open')).toBe('still open')
  })
})
