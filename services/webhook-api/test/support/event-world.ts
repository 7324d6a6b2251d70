import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import type { ChangeEvent, DeliveryStatus } from '@surehook/contracts/events'
import { deliveryId, redeliveryId } from '@surehook/contracts/ids'
import { aJob, anAttempt } from '@surehook/contracts/testing/samples'
import { type Client, clientOf as clientBelow, headersOf } from '@surehook/scripts/client/call'
import { type ChangeFields, logChanges } from './changes.ts'
import { clientOf, validInput } from './client.ts'
import { type HistoryWorld, openHistoryWorld } from './history-world.ts'
import type { Tenant } from './under-test.ts'

export type SentFields = { status?: DeliveryStatus; again?: boolean; at?: number }

/** A tenant per test, whose changes and deliveries the test makes. */
export function useEvents() {
  let world: HistoryWorld
  let tenant: Tenant
  let client: Client

  const clientOfTenant = (of: Tenant) => clientBelow(`${world.service.api}/api/rest`, headersOf(of))

  beforeAll(async () => {
    world = await openHistoryWorld()
  })
  afterAll(async () => world?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    tenant = await world.tenant()
    client = clientOfTenant(tenant)
  })

  return {
    get world() {
      return world
    },
    get tenant() {
      return tenant
    },
    get client() {
      return client
    },
    clientOf: clientOfTenant,

    /** Answers the id of a new subscription. */
    subscribe: async (fields: object = {}): Promise<string> =>
      (await clientOf(world.service.api, tenant).call('POST', { ...validInput(tenant), ...fields }))
        .body.id,

    async changed(change: ChangeFields = {}): Promise<ChangeEvent> {
      const [event] = await logChanges(world, tenant, [change])
      if (event === undefined) throw new Error('no change')
      return event
    },

    /** Writes a delivery into the history, and answers its id. */
    async sent(eventId: string, webhook: string, { status, again, at }: SentFields = {}) {
      const original = deliveryId(eventId, webhook)
      const id = again === true ? redeliveryId(original, randomUUID()) : original
      const { projectId, environment } = tenant
      const createdAt = at ?? Date.now()
      const own = {
        eventId,
        deliveryId: id,
        subscriptionId: webhook,
        projectId,
        environment,
        createdAt,
      }
      const redeliveryOf = again === true ? original : null
      await world.store.addJobs([
        aJob({ ...own, webhookId: original, redeliveryOf, recordId: 'r7' }),
      ])
      if (status) {
        await world.store.addTransitions([anAttempt({ ...own, status, at: createdAt + 1 })])
      }
      return id
    },
  }
}
