import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { capturePrefix } from '@surehook/change-capture/emit/capture'
import { CapturePlugin } from '@surehook/change-capture/relay/capture-plugin'
import { ReplicationStream } from '@surehook/change-capture/relay/replication-stream'
import { expectStatus } from '@surehook/scripts/client/call'
import { clientOf } from './support/client.ts'
import { startServiceProcess } from './support/service-process.ts'
import { openWorld, type World } from './support/under-test.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Holds the slot and confirms nothing: the relay of the service cannot read it meanwhile. */
async function holdSlot(): Promise<AsyncDisposable> {
  const { databaseUrl: connectionString, slot } = world.config
  const stream = new ReplicationStream({
    ...{ connection: { connectionString }, slot },
    applicationName: 'test',
    plugin: new CapturePlugin({ publication: 'surehook_capture', prefix: capturePrefix('none') }),
    confirmed: 0n,
    content: () => undefined,
    reached: () => undefined,
  })
  await stream.start()
  return stream
}

test('SIGKILL right after the answer, before anything is relayed, loses nothing', async () => {
  const held = await holdSlot()
  const tenant = await world.tenant()
  const ids: string[] = []
  {
    await using service = await startServiceProcess(world.config)
    const client = clientOf(service.api, tenant)
    for (let n = 0; n < 5; n++) {
      const change = { table: 'invoices', event: 'INSERT', recordId: '1', record: { n } }
      const answer = expectStatus(202, await client.call('POST _changes', [change, change]))
      ids.push(...(answer.body as unknown as { ids: string[] }).ids)
    }
    await service.end('SIGKILL')
  }
  expect(world.changes.of(tenant.projectId)).toEqual([])
  await held[Symbol.asyncDispose]()
  await using _service = await startServiceProcess(world.config)
  const changes = await world.changes.until(tenant.projectId, ids.length)
  expect(changes.map(({ id }) => id)).toEqual(ids)
})
