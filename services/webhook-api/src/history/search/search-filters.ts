import { type DeliveryStatus, deliveryStatuses, type ErrorClass } from '@surehook/contracts/events'

export type SearchFilters = {
  status?: DeliveryStatus | undefined
  webhookId?: string | undefined
  table?: string | undefined
  eventId?: string | undefined
  recordId?: string | undefined
  httpStatus?: number | undefined
  errorClass?: ErrorClass | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/**
 * Which index leads to the deliveries:
 * - `event`: their ids follow from the event's id
 * - `record`: those of a record
 * - `probes`: each status of each subscription in its order; whatever is found matches
 * - `undelivered`, `tenant`: those of the environment, which are looked through
 */
export type Source = 'event' | 'record' | 'probes' | 'undelivered' | 'tenant'

/** So many subscriptions, times statuses, are asked one by one. */
const mostProbes = 60

export function sourceOf(filters: SearchFilters, subscriptions: number): Source {
  if (filters.eventId !== undefined) return 'event'
  if (filters.recordId !== undefined) return 'record'
  const { status, webhookId, table, httpStatus, errorClass } = filters
  const isExact = table === undefined && httpStatus === undefined && errorClass === undefined
  const probes = subscriptions * statusesOf(filters).length
  if (isExact && (status ?? webhookId) !== undefined && probes <= mostProbes) return 'probes'
  return statusesOf(filters).includes('delivered') ? 'tenant' : 'undelivered'
}

/** What an answer or an error says of the status: a 2xx delivers, and nothing else does. */
export function statusesOf({ status, httpStatus, errorClass }: SearchFilters): DeliveryStatus[] {
  return deliveryStatuses.filter((one) => {
    if (status !== undefined && one !== status) return false
    if (errorClass !== undefined && one === 'delivered') return false
    if (httpStatus === undefined) return true
    return httpStatus >= 200 && httpStatus < 300 ? one === 'delivered' : one !== 'delivered'
  })
}
