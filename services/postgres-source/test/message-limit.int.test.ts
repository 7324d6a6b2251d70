import { expect, test } from '@jest/globals'
import type { Source } from '@surehook/contracts/http/sources'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { Client } from 'pg'
import { sourceClient } from '../src/connection/source-client.ts'
import { parseSourceUrl } from '../src/connection/source-url.ts'
import { clientOf, untilSource } from './support/client.ts'
import { openShop, openWorld, type Shop, type Tenant } from './support/under-test.ts'

const isCapturing = ({ state }: Source) => state === 'capturing'
const bytes = 2 ** 20

test('a row that is too long stops its source alone, until it may be read', async () => {
  await using world = await openWorld()
  await using long = await openShop()
  await using ordinary = await openShop()
  const tenant = await world.tenant()
  const other = await world.tenant()
  const start = async (api: string, of: Tenant, { url }: Shop) => {
    const client = clientOf(api, of)
    await world.table(of, 'orders', { name: 'shop', relation: 'public.orders', exclude: [] })
    await client.call('PUT _sources/shop', { url })
    await untilSource(client, isCapturing)
    return client
  }
  {
    await using running = await world.startService({ maxMessageBytes: bytes })
    const client = await start(running.api, tenant, long)
    await start(running.api, other, ordinary)
    await long.client.query(`insert into orders values (1, repeat('x', 1500000))`)
    const { state } = await untilSource(client, ({ reason }) =>
      String(reason).includes(`more than ${bytes} bytes`),
    )
    expect(state).toBe('stalled')
    await ordinary.client.query('insert into orders values (1)')
    await world.changes.until(other.projectId, 1)
    const metrics = await (await fetch(`${running.internal}/metrics`)).text()
    expect(metrics).toMatch(/^surehook_source_messages_too_long_total\S* [1-9]/m)
  }
  await using _running = await world.startService()
  const [event] = await world.changes.until(tenant.projectId, 1)
  expect(event?.recordId).toBe('1')
})

test('rows of an answer count together, and those of the next answer anew', async () => {
  await using shop = await openShop()
  const parsed = parseSourceUrl(shop.url)
  if ('fault' in parsed) throw new Error(parsed.fault)
  const guard = new AddressGuard(['127.0.0.0/8', '::1/128'], {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  let exceeded = 0
  const limit = { bytes, onExceeded: () => void exceeded++ }
  const client = new Client(sourceClient({ address: parsed.address, owner: 'p/e', limit }, guard))
  client.on('error', () => undefined)
  await client.connect()
  const read = (rows: number) =>
    client.query(`select repeat('x', 1000) from generate_series(1, ${rows})`)
  for (let n = 0; n < 3; n++) expect((await read(800)).rows).toHaveLength(800)
  await expect(read(1_200)).rejects.toThrow(`more than ${bytes} bytes`)
  expect(exceeded).toBe(1)
  await client.end().catch(() => undefined)
})
