import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { WebhookAlert } from '@surehook/contracts/events/webhook-alert'
import { alertsTopic } from '@surehook/contracts/topics'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import { caughtUp } from '@surehook/testing/platform-service'
import { environmentRecord } from '@surehook/testing/tenants'
import { until } from '@surehook/testing/until'
import { clientOf, validInput, type WebhooksClient } from './support/client.ts'
import { publishAttempts } from './support/publish-attempts.ts'
import { log, openWorld, type Running, type Tenant, type World } from './support/under-test.ts'

const digestInterval = 60
/** Longer ago than failures are gathered, and than the digest interval. */
const longAgo = 2 * digestInterval * 1_000

let world: World
let replicas: Running[]
let view: TopicView
const published: WebhookAlert[] = []
let tenant: Tenant
let client: WebhooksClient

beforeAll(async () => {
  world = await openWorld()
  view = await openTopicView<WebhookAlert>({
    ...{ kafka: world.kafka, codec: world.codec, clientId: 'test', topics: [alertsTopic], log },
    apply: (_topic, _key, alert) => void (alert && published.push(alert)),
  })
  replicas = [await world.startService(), await world.startService()]
})
afterAll(async () => {
  for (const replica of replicas ?? []) await replica[Symbol.asyncDispose]()
  await view?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  tenant = await world.tenant()
  client = clientOf(replicas[0]?.api ?? '', tenant)
  await notify({ digestInterval })
})

const notify = (settings: object | null) =>
  world.producer.send([
    environmentRecord(world.codec, { ...tenant, settings: { notify: settings } }),
  ])
const subscribe = async (fields: object = {}): Promise<string> =>
  (await client.call('POST', { ...validInput(tenant), ...fields })).body.id
const attempts = (id: string, ...all: Parameters<typeof publishAttempts>[2]) =>
  publishAttempts({ world, tenant, client }, id, all)

async function alerts(): Promise<WebhookAlert[]> {
  await caughtUp(view)
  return published.filter(({ projectId }) => projectId === tenant.projectId)
}
/** Waits for so many alerts. Returns the last one. */
async function alerted(count: number): Promise<WebhookAlert | undefined> {
  await until(async () => (await alerts()).length >= count, { what: `${count} alerts` })
  return (await alerts()).at(-1)
}
const digestIsOver = () =>
  world.pool.query(`update alert_digest set sent_at = '-infinity' where project_id = $1`, [
    tenant.projectId,
  ])
/** Every replica has looked twice when later trouble of others was told. */
async function replicasLooked(): Promise<void> {
  for (let n = 0; n < 2; n++) {
    const other = await world.tenant()
    const record = environmentRecord(world.codec, {
      ...other,
      settings: { notify: { digestInterval } },
    })
    await world.producer.send([record])
    const by = clientOf(replicas[0]?.api ?? '', other)
    const { body } = await by.call('POST', validInput(other))
    await publishAttempts({ world, tenant: other, client: by }, body.id, [[longAgo, 'paused']])
    const isTold = () => published.some(({ projectId }) => projectId === other.projectId)
    await until(isTold, { what: 'the alert of another environment' })
  }
}

describe('an environment that is notified', () => {
  it('hears once that a circuit opened, and once that the webhook recovered', async () => {
    const id = await subscribe({ name: 'Orders' })
    await attempts(id, [longAgo, 'paused'])
    expect(await alerted(1)).toMatchObject({
      environment: 'master',
      environmentCreatedAt: expect.any(String),
      webhooks: [{ webhookId: id, name: 'Orders', recovered: false, circuitOpened: true }],
      more: 0,
    })
    await attempts(id, [longAgo - 1_000, 'paused'])
    await digestIsOver()
    await replicasLooked()
    expect(await alerts()).toHaveLength(1)
    await attempts(id, [0, 'delivered'])
    expect(await alerted(2)).toMatchObject({ webhooks: [{ webhookId: id, recovered: true }] })
    await digestIsOver()
    await replicasLooked()
    expect(await alerts()).toHaveLength(2)
  })

  it('hears of dead letters with their number, and of all webhooks in one alert', async () => {
    await notify(null)
    const [first, second] = [await subscribe(), await subscribe()]
    await attempts(first, [longAgo, 'dead_letter'], [longAgo - 1, 'dead_letter'])
    await attempts(second, [longAgo, 'paused'])
    await notify({ digestInterval })
    const alert = await alerted(1)
    expect(alert?.webhooks).toHaveLength(2)
    expect(alert?.webhooks).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ webhookId: first, circuitOpened: false, deadLetters: 2 }),
        expect.objectContaining({ webhookId: second, circuitOpened: true, paused: 1 }),
      ]),
    )
  })

  it('hears no more within the digest interval', async () => {
    await attempts(await subscribe(), [longAgo, 'paused'])
    await alerted(1)
    await attempts(await subscribe(), [longAgo, 'paused'])
    await replicasLooked()
    expect(await alerts()).toHaveLength(1)
    await digestIsOver()
    await alerted(2)
  })

  it('hears of a webhook that Surehook deactivated, and of none that a person did', async () => {
    await notify(null)
    const gone = await subscribe({ policy: { gone: 'deactivate' } })
    const [byHand, failing] = [await subscribe(), await subscribe()]
    await attempts(gone, [0, 'retrying', { httpStatus: 410, url: validInput(tenant).url }])
    const isActive = async () => (await client.get(gone)).body.webhook.active
    await until(async () => !(await isActive()), { what: 'the deactivation' })
    await client.call(`PATCH /${byHand}`, { active: false })
    await attempts(failing, [longAgo, 'paused'])
    await notify({ digestInterval })
    const told = (await alerted(1))?.webhooks.map((one) => [one.webhookId, one.deactivated])
    expect(told).toHaveLength(2)
    expect(told).toEqual(
      expect.arrayContaining([
        [failing, null],
        [gone, expect.stringMatching(/^The receiver answered 410 Gone at /)],
      ]),
    )
    await digestIsOver()
    await replicasLooked()
    expect(await alerts()).toHaveLength(1)
  })

  it('hears nothing of a deleted webhook, nor of one that moved to another URL', async () => {
    await notify(null)
    const [deleted, moved] = [await subscribe(), await subscribe()]
    for (const id of [deleted, moved]) await attempts(id, [longAgo, 'paused'])
    await client.call(`DELETE /${deleted}`)
    await client.call(`PATCH /${moved}`, { url: 'https://elsewhere.example/' })
    await notify({ digestInterval })
    await replicasLooked()
    expect(await alerts()).toEqual([])
  })
})

it('an environment that is not notified hears nothing', async () => {
  await notify(null)
  await attempts(await subscribe(), [longAgo, 'paused'])
  await replicasLooked()
  expect(await alerts()).toEqual([])
})
