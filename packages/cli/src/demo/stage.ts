import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Delivery, Surehook } from '@surehook/client'
import { openTemporaryClient } from '../admin/temporary-client.ts'
import { Failure } from '../cli/command.ts'
import { newSecret } from '../lib/new-secret.ts'
import { adminClientOf, type Platform } from '../lib/platform-client.ts'
import type { DemoReceiver, Receipt } from './demo-receiver.ts'
import { columns, environment, events } from './demo-table.ts'

export type DemoOptions = {
  platform: Platform
  /** The address of webhooks, and what listens there: `null` for an address that does not exist. */
  url: string
  receiver: DemoReceiver | null
  times: DemoTimes
  signal: AbortSignal
  say(line: string): void
}

export type DemoTimes = {
  /** The delays before the second attempt, the third, and so on. */
  readonly retryDelaysMs: readonly number[]
  readonly cooldownMs: number
}

/** The project and the receiver that every act of the demo uses. Disposing deletes both. */
export type Stage = AsyncDisposable & {
  readonly surehook: Surehook
  readonly webhookId: string
  readonly secret: string
  readonly times: DemoTimes
  say(line: string): void
  /** Sets the answers from now on, and forgets the earlier receipts. */
  answer(statusOf: (nth: number) => number): void
  /** Resolves with the receipts since `answer`, once there are at least `count`. */
  arrived(count: number, timeoutMs?: number): Promise<readonly Receipt[]>
  /** Resolves with the delivery log, newest first, once it is as wanted. */
  deliveriesWhen(
    isSo: (deliveries: readonly Delivery[]) => boolean,
    timeoutMs?: number,
  ): Promise<readonly Delivery[]>
  isOver(): boolean
}

const pollMs = 100

export async function openStage(options: DemoOptions): Promise<Stage> {
  const { platform, url, receiver, times, signal, say } = options
  await using opening = new AsyncDisposableStack()
  const project = `demo-${randomBytes(4).toString('hex')}`
  await adminClientOf(platform, { project, environment }).admin.environments.put()
  const client = await openTemporaryClient(platform, { project, environment }, 'surehook demo')
  const { surehook } = opening.use(client)
  say(`project ${project}`)
  await surehook.tables.put('orders', { columns: [...columns] })
  opening.defer(() => surehook.tables.delete('orders'))
  const secret = newSecret()
  const { id } = await surehook.webhooks.create({ table: 'orders', events, url, secret })
  opening.defer(() => surehook.webhooks.delete(id))
  say(`webhook for ${events.join(', ')} of orders at ${url}`)
  const log = async () => (await surehook.webhooks.get(id)).deliveries
  const polling = { signal, log }
  const resources = opening.move()
  return {
    surehook,
    webhookId: id,
    secret,
    times,
    say,
    answer: (statusOf) => receiver?.answer(statusOf),
    async arrived(count, timeoutMs) {
      const what = `${count} requests at the receiver`
      const receipts = () => receiver?.receipts ?? []
      await pollUntil(() => receipts().length >= count, { ...polling, what, timeoutMs })
      return receipts()
    },
    async deliveriesWhen(isSo, timeoutMs) {
      let deliveries: readonly Delivery[] = []
      const look = async () => isSo((deliveries = await log()))
      await pollUntil(look, { ...polling, what: 'the expected delivery log', timeoutMs })
      return deliveries
    },
    isOver: () => signal.aborted,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type Polling = {
  signal: AbortSignal
  log: () => Promise<readonly Delivery[]>
  what: string
  timeoutMs: number | undefined
}

/** Without `timeoutMs`, only the time limit of the command ends it. */
async function pollUntil(
  isTrue: () => boolean | Promise<boolean>,
  { signal, log, what, timeoutMs = Number.POSITIVE_INFINITY }: Polling,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isTrue())) {
    if (signal.aborted) throw notDelivered('not delivered in time', await log())
    if (performance.now() > deadline) {
      throw notDelivered(`${what}: not there after ${timeoutMs} ms`, await log())
    }
    // An abort rejects the sleep. The loop's condition reports it.
    await sleep(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

function notDelivered(what: string, deliveries: readonly Delivery[]): Failure {
  const lines = deliveries.map(
    ({ status, attempts, lastError }) =>
      `the delivery is ${status} after ${attempts} attempts, last error: ${lastError ?? 'none'}`,
  )
  const seen = lines.length === 0 ? 'there is no delivery yet' : lines.join('\n  ')
  return new Failure(`${what}: ${seen}`, { delivery: deliveries[0] ?? null })
}

export const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

export function expectThat(isSo: boolean, sentence: string): asserts isSo {
  if (!isSo) throw new Failure(sentence)
}
