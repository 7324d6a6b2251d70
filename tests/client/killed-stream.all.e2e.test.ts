import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { Surehook } from '@surehook/client'
import { openWorld, type World } from '../support/world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

type Letter = { n: number }

it('a stream goes on at its cursor when webhook-api is killed', async () => {
  const { projectId, environment, token } = await world.tenant()
  const { baseUrl } = world.system
  const client = new Surehook({ baseUrl, projectId, environment, token })
  const orders = client.table<Letter>('letters')
  await client.tables.put('letters', { columns: [{ name: 'n', type: 'integer' }] })
  const { id } = await orders.create({ n: 1 })
  const seen: number[] = []
  const stream = client.stream<Letter>({ table: 'letters', select: ['n'], from: '1h' })
  for await (const { record } of stream) {
    seen.push(record.n)
    if (record.n === 3) break
    if (record.n === 1) {
      const [service] = world.system.services['webhook-api']
      await service?.kill()
      await orders.update(id, { n: 2 })
      await service?.restart()
      await orders.update(id, { n: 3 })
    }
  }
  expect(seen).toEqual([1, 2, 3])

  const resumed = client.stream<Letter>({ ...(stream.cursor && { cursor: stream.cursor }) })
  const next = resumed[Symbol.asyncIterator]().next()
  await orders.update(id, { n: 4 })
  expect((await next).value).toMatchObject({ event: 'UPDATE', record: { n: 4 } })
})
