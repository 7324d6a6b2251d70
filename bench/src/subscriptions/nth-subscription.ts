import { createHash, randomUUID } from 'node:crypto'
import type { ChangeOperation, SubscriptionState } from '@surehook/contracts/events'
import { formatWalPosition } from '@surehook/contracts/wal-position'

const at = '2026-01-01T00:00:00.000Z'
const events: ChangeOperation[] = ['INSERT', 'UPDATE']
const perTable = 20

export type Shape = {
  projects: number
  urlOf(path: string): string
  seal(secret: string, id: string): string
}

/** A record that the n-th subscription matches, of the project and table that it watches. */
export function matchedBy(n: number, { projects }: Pick<Shape, 'projects'>) {
  return {
    projectId: `many-${n % projects}`,
    table: `table_${Math.floor(n / projects / perTable)}`,
    record: { customer: `customer-${n}`, status: 'paid', total: 10 },
  }
}

/** The n-th subscription: about 700 bytes on its topic. Every subscription has its own filter. */
export function nthSubscription(n: number, { projects, urlOf, seal }: Shape): SubscriptionState {
  const { projectId, table } = matchedBy(n, { projects })
  const id = randomUUID()
  const filter = JSON.stringify({ customer: `customer-${n}`, status: { in: ['paid', 'open'] } })
  const walPosition = formatWalPosition(
    { systemId: '7412345678901234567', timeline: '1' },
    BigInt(n),
  )
  return {
    ...{ id, projectId, environment: 'master', table, events, filter, active: true, select: null },
    url: urlOf(`/hooks/${createHash('md5').update(String(n)).digest('hex')}`),
    secrets: [{ ciphertext: seal(`whsec-${id}`, id), validUntil: null }],
    ...{ createdAt: at, updatedAt: at, cancellations: [] },
    policy: {
      headers: {
        names: ['Authorization'],
        ciphertext: seal(JSON.stringify({ Authorization: `Bearer ${id}` }), `${id}/headers`),
      },
      ...{ retryAfter: false, gone: null, retryDelays: null },
      ...{ concurrency: null, perSecond: null, ordered: null },
    },
    versions: [{ walPosition, updatedAt: at, active: true, table, events, filter, select: null }],
    ...{ name: null, key: `webhook-${n}`, description: null },
  }
}
