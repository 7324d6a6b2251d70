import { expect, it } from '@jest/globals'
import { relayLimits } from '@surehook/change-capture/relay/relay-queue'
import type { ChangeEvent } from '@surehook/contracts/events'
import { changesTopic } from '@surehook/contracts/topics'
import { formatWalPosition, walPositionHeader } from '@surehook/contracts/wal-position'
import type { EventCodec } from '@surehook/schemas/codec'
import { readRelayedPositions } from './relayed-positions.ts'

const codec = {
  change: { decode: async (value: Buffer) => ({ source: String(value) }) as ChangeEvent },
} as unknown as Pick<EventCodec, 'change'>

const messageAt = (source: string, lsn: number) => ({
  key: null,
  value: Buffer.from(source),
  timestamp: '0',
  attributes: 0,
  offset: '0',
  headers: {
    [walPositionHeader]: formatWalPosition({ systemId: '1', timeline: '1' }, BigInt(lsn)),
  },
})

it('counts what services publish over HTTP among the changes that data-api relays', async () => {
  const positions = readRelayedPositions(codec, '1')
  const { records } = relayLimits
  const messages = Array.from({ length: records }, (_, n) =>
    messageAt(n % 2 === 0 ? 'http' : 'data-api', n + 1),
  )
  await positions.take(changesTopic, messages.slice(1))
  expect(positions.relayedOf('data-api')).toBeNull()
  await positions.take(changesTopic, messages.slice(0, 1))
  expect(positions.relayedOf('data-api')).toBe(1n)
})
