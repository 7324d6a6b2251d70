import type { DeliveryJob } from '@surehook/contracts/events'
import { isAboutDeliveries, withoutQuery } from '@surehook/contracts/events/delivery-events'
import type { EndpointPlace } from '@surehook/contracts/ids'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'

/** A job in this process, from its reading until Kafka acknowledges its next record. */
export type Delivery = { job: DeliveryJob; message: WindowedMessage }

/** Returns the endpoint for its events, or null for a delivery about deliveries. */
export function eventPlaceOf({ job }: Delivery): EndpointPlace | null {
  const { projectId, environment, url, table } = job
  return isAboutDeliveries(table) ? null : { projectId, environment, url: withoutQuery(url) }
}

/** A job's position in the endpoint's order is its first offset on the deliveries topic. */
export function located(job: DeliveryJob, { offset }: WindowedMessage): DeliveryJob {
  return job.arrival === -1 ? { ...job, arrival: offset } : job
}
