import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { createMetrics } from '@surehook/service-kit/telemetry/metrics'
import { createDecryptions } from './decryptions.ts'

const tenant = (projectId: string) => ({ projectId, environment: 'master' })
const from = (address: string) => ({ address })

/** Decryptions that end when the test says so. */
function setUp() {
  const decryptions = createDecryptions({ maxFailedPerMinute: 10, metrics: createMetrics('test') })
  const running: (() => void)[] = []
  const started: string[] = []
  const outcomes: string[] = []
  const open = (projectId: string, address: string) =>
    decryptions
      .run({ tenant: tenant(projectId), client: from(address) }, async () => {
        started.push(projectId)
        await new Promise<void>((resolve) => running.push(resolve))
      })
      .then(
        () => void outcomes.push('read'),
        (err: { code: string }) => void outcomes.push(err.code),
      )
  return { open, running, started, outcomes }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

// The longest wait of a token must not depend on how fast this machine is.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }))
afterEach(() => void jest.useRealTimers())

describe('decryptions of tokens', () => {
  it('run two at a time, wait in a bounded queue, and take turns between tenants', async () => {
    const { open, running, started, outcomes } = setUp()
    const crowd = Array.from({ length: 1_000 }, (_, n) =>
      open('crowd', `10.${n >> 8}.${n % 256}.1`),
    )
    await settled()
    expect(started).toEqual(['crowd', 'crowd'])
    // A tenant may fill half of the room of 500.
    expect(outcomes).toEqual(Array<string>(748).fill('SERVICE_UNAVAILABLE'))
    const stranger = open('stranger', '192.0.2.1')
    for (let turns = 0; turns < 2; turns++) {
      running.shift()?.()
      await settled()
    }
    expect(started).toContain('stranger')
    while (running.length > 0) {
      running.shift()?.()
      await settled()
    }
    await Promise.all([...crowd, stranger])
    expect(outcomes.filter((outcome) => outcome === 'read')).toHaveLength(253)
  })
})
