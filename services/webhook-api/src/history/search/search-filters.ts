import { type DeliveryStatus, deliveryStatuses, type ErrorClass } from '@surehook/contracts/events'

export type SearchFilters = {
  status?: DeliveryStatus | undefined
  webhookId?: string | undefined
  deliveryId?: string | undefined
  table?: string | undefined
  eventId?: string | undefined
  recordId?: string | undefined
  httpStatus?: number | undefined
  errorClass?: ErrorClass | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/**
 * The index that the search uses:
 * - `delivery`: its id
 * - `event`: the ids of deliveries, which derive from the event's id
 * - `record`: the deliveries of a record
 * - `probes`: one ordered read per subscription and status; every row matches
 * - `undelivered`, `tenant`: all deliveries of the environment, filtered row by row
 */
export type Source = 'delivery' | 'event' | 'record' | 'probes' | 'undelivered' | 'tenant'

/** The most pairs of subscription and status that are read one by one. */
const mostProbes = 60

export function sourceOf(filters: SearchFilters, subscriptions: number): Source {
  if (filters.deliveryId !== undefined) return 'delivery'
  if (filters.eventId !== undefined) return 'event'
  if (filters.recordId !== undefined) return 'record'
  const { status, webhookId, table, httpStatus, errorClass } = filters
  const isExact = table === undefined && httpStatus === undefined && errorClass === undefined
  const probes = subscriptions * statusesOf(filters).length
  if (isExact && (status ?? webhookId) !== undefined && probes <= mostProbes) return 'probes'
  return statusesOf(filters).includes('delivered') ? 'tenant' : 'undelivered'
}

/**
 * Returns the statuses that fit the filters: a delivery is delivered if and only if its last answer
 * is 2xx.
 */
export function statusesOf({ status, httpStatus, errorClass }: SearchFilters): DeliveryStatus[] {
  return deliveryStatuses.filter((one) => {
    if (status !== undefined && one !== status) return false
    if (errorClass !== undefined && one === 'delivered') return false
    if (httpStatus === undefined) return true
    return httpStatus >= 200 && httpStatus < 300 ? one === 'delivered' : one !== 'delivered'
  })
}
