import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery } from '@surehook/client'
import { Failure } from '../cli/command.ts'
import { newSecret } from '../lib/new-secret.ts'
import { adminClientOf, type Platform } from '../lib/platform-client.ts'
import { clientOf } from '../tenant/tenant-client.ts'
import { columns, environment, events } from './demo-table.ts'

/** What a first delivery left behind. */
export type FirstDelivery = {
  project: string
  environment: string
  /** A management token of the project. */
  token: string
  webhookId: string
  /** Signs the deliveries of the webhook. */
  secret: string
  delivery: Delivery
}

export type FirstDeliveryOptions = {
  platform: Platform
  project: string
  receiverUrl: string
  signal: AbortSignal
  /** Sends the requests. Default: the `fetch` of Node. */
  fetch?: typeof globalThis.fetch
  /** Gets what the last request did. */
  did?: (what: string) => void
}

/** The role of each user that signs up. */
const role = 'member'
const access = { read: [role], create: [role] }
const pollMs = 100

/**
 * Makes a project with a table, a webhook and a record, and deletes none of it. Users who sign up
 * need no confirmation, and may read and create records. Resolves after the first attempt of the
 * delivery.
 */
export async function makeFirstDelivery(options: FirstDeliveryOptions): Promise<FirstDelivery> {
  const { platform, project, receiverUrl, signal, did = () => {} } = options
  const sending = options.fetch === undefined ? {} : { fetch: options.fetch }
  const token = await makeProject(options)
  const tenant = { baseUrl: platform.baseUrl, project, environment, token }
  const surehook = clientOf(tenant, sending)
  await surehook.tables.put('orders', { columns: [...columns], access }, { signal })
  did('made the table orders. Each change of its records becomes an event')
  const secret = newSecret()
  const webhook = { table: 'orders', events, url: receiverUrl, secret }
  const { id: webhookId } = await surehook.webhooks.create(webhook, { signal })
  did(`subscribed ${receiverUrl} to the events`)
  const order = { customer: 'Ada', status: 'new', total: '19.90' }
  await surehook.table('orders').create(order, { signal })
  did('wrote a record and its event, in one commit')
  const newest = async () => (await surehook.webhooks.get(webhookId)).deliveries[0]
  const delivery = await firstAttempt(signal, newest)
  did(`shows the delivery: ${delivery.status} after ${delivery.attempts} attempt`)
  return { project, environment, token, webhookId, secret, delivery }
}

/** Asks what became of the event, and sends its delivery again. Resolves after that attempt. */
export async function explainAndRedeliver(
  {
    platform,
    signal,
    fetch,
    did = () => {},
  }: Omit<FirstDeliveryOptions, 'project' | 'receiverUrl'>,
  { project, token, webhookId, delivery }: FirstDelivery,
): Promise<void> {
  const sending = fetch === undefined ? {} : { fetch }
  const surehook = clientOf({ baseUrl: platform.baseUrl, project, environment, token }, sending)
  const { webhooks } = await surehook.events.explain(delivery.eventId, {}, { signal })
  did(`explains the event: ${webhooks.map(({ outcome }) => outcome).join(', ')}`)
  const { deliveryId } = await surehook.deliveries.redeliver(webhookId, delivery.id, { signal })
  did('sends the delivery again, as a new one')
  const again = await firstAttempt(signal, () => surehook.deliveries.get(webhookId, deliveryId))
  did(`shows the new delivery: ${again.status} after ${again.attempts} attempt`)
}

/** Returns a management token of the new project. */
async function makeProject(options: FirstDeliveryOptions): Promise<string> {
  const { platform, project, signal, fetch, did = () => {} } = options
  const { admin } = adminClientOf(platform, { project, environment, ...(fetch && { fetch }) })
  await admin.environments.put({}, { signal })
  did(`made the project ${project} with the environment ${environment}`)
  await admin.roles.create({ name: role }, { signal })
  did(`made the role ${role} for users`)
  const auth = { emailVerification: false, defaultRole: role }
  await admin.environments.put({ auth }, { signal })
  did(`lets users sign up without a mailed code, and gives them the role`)
  const { token } = await admin.tokens.create({ name: 'first delivery' }, { signal })
  did('made a management token of the project, which the next requests use')
  return token
}

async function firstAttempt<D extends Pick<Delivery, 'attempts'>>(
  signal: AbortSignal,
  find: () => Promise<D | undefined>,
): Promise<D> {
  while (!signal.aborted) {
    const delivery = await find()
    if (delivery !== undefined && delivery.attempts > 0) return delivery
    await sleep(pollMs)
  }
  throw new Failure('the receiver was not called in time')
}

/** Returns a URL that opens the console on the delivery, once and within 30 seconds. */
export async function consoleUrlOf(
  { baseUrl }: Pick<Platform, 'baseUrl'>,
  { project, environment: of, token, webhookId, delivery }: FirstDelivery,
): Promise<string> {
  const { admin } = clientOf({ baseUrl, project, environment: of, token })
  const { code } = await admin.consoleCodes.create({ project, environment: of })
  return `${baseUrl}/console/deliveries/${webhookId}/${delivery.id}#code=${code}`
}

/** The commands that open the console of the project again. */
export const consoleCommands = (
  { baseUrl }: Pick<Platform, 'baseUrl'>,
  { project, token }: Pick<FirstDelivery, 'project' | 'token'>,
) => [
  `export SUREHOOK_URL=${baseUrl} SUREHOOK_PROJECT=${project} SUREHOOK_TOKEN=${token}`,
  'npx surehook console',
]
