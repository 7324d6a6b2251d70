import { describe, expect, it } from '@jest/globals'
import { aJob, anAttempt, sampleTime } from '@surehook/contracts/testing/samples'
import { attemptsTopic, deliveriesTopic } from '@surehook/contracts/topics'
import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { UndecodableError } from '@surehook/schemas/codec'
import { createDeliveryProjection, type RefusedDelivery } from './delivery-projection.ts'

const codecOf = <T extends { deliveryId: string }>(values: ReadonlyMap<string, T>) => ({
  encode: (value: T) => Buffer.from(value.deliveryId.slice(0, 1)),
  decode: (bytes: Buffer) => {
    const value = values.get(bytes.toString())
    if (value === undefined) throw new UndecodableError('Not a value')
    return value
  },
})

/** Messages are named by their value. The store refuses batches that contain one of `poison`. */
function setUp({ poison = [] as string[], failure = '22P02' } = {}) {
  const names = ['a', 'b', 'c', 'd', 'e']
  const added: string[][] = []
  const refused: [name: string, reason: string][] = []
  const add = async (ids: string[]) => {
    const bad = ids.some((id) => poison.includes(id))
    if (bad) throw Object.assign(new Error('bad value'), { code: failure })
    added.push(ids)
  }
  const uuid = (name: string) => aJob().deliveryId.replace(/^./, name)
  const projection = createDeliveryProjection({
    store: {
      add: ({ jobs, transitions }) =>
        add([...jobs, ...transitions].map(({ deliveryId }) => deliveryId.slice(0, 1))),
    },
    codec: {
      jobHead: codecOf(new Map(names.map((name) => [name, aJob({ deliveryId: uuid(name) })]))),
      attempt: codecOf(new Map(names.map((name) => [name, anAttempt({ deliveryId: uuid(name) })]))),
    },
    refuse: async ({ message, reason }: RefusedDelivery) => {
      refused.push([message.value?.toString() ?? 'null', reason])
    },
  })
  const read = async (topic: string, values: (string | null)[]) => {
    const messages = values.map(
      (value) =>
        ({
          key: null,
          value: value === null ? null : Buffer.from(value),
          timestamp: String(sampleTime),
        }) as KafkaMessage,
    )
    await projection.write(await projection.read({ topic, partition: 0, messages }))
  }
  return { read, added, refused }
}

describe('createDeliveryProjection', () => {
  it.each([deliveriesTopic, attemptsTopic])('writes a batch of %s at once', async (topic) => {
    const { read, added, refused } = setUp()
    await read(topic, ['a', 'b', 'c'])
    expect([added, refused]).toEqual([[['a', 'b', 'c']], []])
  })

  it('refuses undecodable messages and writes the rest', async () => {
    const { read, added, refused } = setUp()
    await read(deliveriesTopic, ['a', 'x', null, 'b'])
    expect(added).toEqual([['a', 'b']])
    expect(refused).toEqual([
      ['x', 'Not a value'],
      ['null', 'No value'],
    ])
  })

  it('isolates the one value that the database refuses', async () => {
    const { read, added, refused } = setUp({ poison: ['d'] })
    await read(attemptsTopic, ['a', 'b', 'c', 'd', 'e'])
    expect(added.flat()).toEqual(['a', 'b', 'c', 'e'])
    expect(refused).toEqual([['d', 'Refused by the log: bad value']])
  })

  it.each(['08006', '40P01', '23514', '57P01'])(
    'leaves error %s to be tried again',
    async (code) => {
      const { read, added, refused } = setUp({ poison: ['a'], failure: code })
      await expect(read(deliveriesTopic, ['a', 'b'])).rejects.toThrow('bad value')
      expect([added, refused]).toEqual([[], []])
    },
  )
})
