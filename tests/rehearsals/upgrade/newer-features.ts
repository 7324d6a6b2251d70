import { randomUUID } from 'node:crypto'
import type { EventPayload } from '@surehook/contracts/events/event-payload'
import { admin, expectStatus } from '@surehook/scripts/client/call'
import { createTenant, createToken, Tenant } from '@surehook/scripts/client/tenant'
import type { Receiver } from '@surehook/scripts/receiver/receiver'
import { until } from '@surehook/testing/until'
import type { Stage } from '../../faults/suite/stage/stage.ts'

/** The changes of the record whose first one is refused for a while. */
const versions = 4
const perSecond = 2
const withinMs = 60_000

export type NewerFeatures = {
  /** Both versions run. Returns what is wrong. */
  whileMixed(): Promise<string[]>
  /** All replicas are new again. Returns what is wrong. */
  afterwards(): Promise<string[]>
}

/**
 * Uses features that an older version may not know, once all services are new: the name and the
 * order of a subscription, the rights of a token, limits of an environment, and sources.
 */
export async function useNewerFeatures({
  platform,
  receiver,
}: Pick<Stage, 'platform' | 'receiver'>): Promise<NewerFeatures> {
  const tenant = await createTenant(platform)
  const { projectId, environment } = tenant
  await tenant.putTable('orders', { ref: 'text', version: 'integer' })
  const path = `/newer-${randomUUID()}`
  const policy = { ordered: 'record', retryDelays: Array.from({ length: 20 }, () => '300ms') }
  const fields = { name: 'newer', policy }
  const { id } = await tenant.subscribe(receiver.url(path), fields)
  const rights = { name: 'records only', rights: ['records'] }
  const { token } = await createToken(platform, projectId, rights)
  const limited = new Tenant(platform, { projectId, environment, token })
  const limits = { limits: { data: { perSecond, burst: perSecond } } }
  const at = `PUT /${projectId}/environments/${environment}`
  const set = () => admin(platform, at, limits)
  return {
    async whileMixed() {
      const { status } = await tenant.webhooks(`GET /${id}`)
      return status === 200 ? [] : [`the subscription with a name is answered ${status}`]
    },
    async afterwards() {
      expectStatus(200, await tenant.rest('GET _sources'))
      const shown = await tenant.webhooks(`GET /${id}`)
      const { webhook } = expectStatus(200, shown).body as unknown as { webhook: typeof fields }
      const faults: string[] = []
      if (webhook.name !== fields.name) faults.push(`its name is ${webhook.name}`)
      if (webhook.policy?.ordered !== 'record') faults.push('its order is lost')
      faults.push(...(await orderFaults(tenant, receiver, path)))
      const refused = await limited.webhooks('GET')
      if (refused.status !== 403) faults.push(`a token without the right got ${refused.status}`)
      expectStatus(200, await limited.rest('GET orders'))
      expectStatus(200, await set())
      faults.push(...(await limitFaults(limited)))
      return faults
    },
  }
}

/** No change comes before the earlier one was accepted. */
async function orderFaults(tenant: Tenant, receiver: Receiver, path: string): Promise<string[]> {
  receiver.answer(path, (_receipt, nth) => ({ status: nth <= 2 ? 503 : 204 }))
  const { id } = await tenant.insert({ ref: 'newer', version: 1 })
  for (let version = 2; version <= versions; version++) {
    expectStatus(200, await tenant.rest(`PATCH orders/${id}`, { version }))
  }
  const received = () =>
    receiver.receipts(path).map(({ body }) => (JSON.parse(body) as EventPayload).record['version'])
  await until(() => received().includes(versions), {
    what: 'the last change',
    timeoutMs: withinMs,
  })
  const order = received().join()
  return order === '1,1,1,2,3,4' ? [] : [`an ordered subscription got the versions ${order}`]
}

/** Another replica may take some seconds to know the limits. */
async function limitFaults(tenant: Tenant): Promise<string[]> {
  const isLimited = async () => {
    const answers = Array.from({ length: 4 * perSecond }, () => tenant.rest('GET orders'))
    return (await Promise.all(answers)).some(({ status }) => status === 429)
  }
  return until(isLimited, { what: 'a limited request', timeoutMs: withinMs }).then(
    () => [],
    (err: Error) => [err.message],
  )
}
