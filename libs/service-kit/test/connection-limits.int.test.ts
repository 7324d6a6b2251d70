import { describe, expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { HeldConnections } from './held-connections.ts'

const attacker = '127.0.0.2'
const other = '127.0.0.3'

describe('the connections of a server', () => {
  it('of one client are bounded, and the one that is idle for longest goes first', async () => {
    await using held = new HeldConnections({ perClient: 4, most: 100 })
    const busy = await held.connectFrom(attacker, 'GET /never HTTP/1.1\r\nHost: x\r\n\r\n')
    await held.asked.promise
    for (let n = 0; n < 8; n++) await held.connectFrom(attacker)
    await until(() => held.kept === 4)
    expect(busy.destroyed).toBe(false)
    expect(held.sockets.slice(1, 6).every(({ destroyed }) => destroyed)).toBe(true)
    expect(await held.statusFor(other)).toBe(200)
  })

  it('in all are bounded, at the expense of the client with the most', async () => {
    await using held = new HeldConnections({ perClient: 100, most: 6 })
    const small = await held.connectFrom(other)
    for (let n = 0; n < 10; n++) await held.connectFrom(attacker)
    await until(() => held.kept === 6)
    expect([small.destroyed, await held.statusFor('127.0.0.4')]).toEqual([false, 200])
  })
})
