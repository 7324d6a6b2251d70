import { expect, it } from '@jest/globals'
import { until } from '@surehook/testing/until'
import { connectionsPerClient } from '../src/http/connection/connection-limits.ts'
import { HeldConnections } from './held-connections.ts'

it('another client gets in while one opens 30,000 connections and closes none', async () => {
  await using held = new HeldConnections({ perClient: connectionsPerClient, most: 4_096 })
  for (let opened = 0; opened < 30_000; opened += 200) {
    await Promise.all(Array.from({ length: 200 }, () => held.connectFrom('127.0.0.2')))
    held.sockets = held.sockets.filter(({ destroyed }) => !destroyed)
    if (opened % 6_000 === 0) expect(await held.statusFor('127.0.0.3')).toBe(200)
  }
  await until(() => held.kept === connectionsPerClient)
})
