import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { showFirstDelivery } from '@surehook/scripts/start/show-first-delivery'
import { consoleUrlOf, makeFirstDelivery } from 'surehook/demo/first-delivery'
import { type ConsoleWorld, openConsole } from '../console/support/console-world.ts'
import { openWorldWithStack, payloadOf } from '../support/world.ts'

let opened: ConsoleWorld

// A stack of its own, because others have projects.
beforeAll(async () => {
  opened = await openConsole(openWorldWithStack)
})
afterAll(async () => {
  await opened?.[Symbol.asyncDispose]()
})

it('an empty system gets a project with a first delivery, and one with data gets nothing', async () => {
  const { system, receiver } = opened.world
  const options = { env: {}, receiverUrl: receiver.url('/first'), opensConsole: false }
  const told = await showFirstDelivery(system, options)
  expect(told).toContain('Project demo has the table orders')
  expect(told).toContain('status of its delivery is delivered.')
  const [receipt] = await receiver.waitFor('/first', 1)
  expect(receipt && payloadOf(receipt)).toMatchObject({
    event: 'INSERT',
    table: 'orders',
    record: { customer: 'Ada' },
  })
  expect(await showFirstDelivery(system, options)).toBeNull()
  expect(receiver.receipts('/first')).toHaveLength(1)
})

it('the console opens on the delivery', async () => {
  const { system, receiver } = opened.world
  const first = await makeFirstDelivery({
    platform: system,
    project: 'other',
    receiverUrl: receiver.url('/other'),
    signal: AbortSignal.timeout(60_000),
  })
  const url = await consoleUrlOf(system, first)
  const { page, faults } = await opened.open(url.slice(`${system.baseUrl}/console/`.length))
  await page.getByText('Attempt 1').waitFor()
  await page.getByText(first.delivery.id).waitFor()
  expect(page.url()).not.toContain('code=')
  expect(faults).toEqual([])
})
