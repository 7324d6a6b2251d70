import type { DeliveryJob } from '@surehook/contracts/events'
import type { FoldedDelivery } from './fold-deliveries.ts'

/** The bytes themselves, or the id of the delivery that has them; neither while the job was not read. */
export type BodyPlace = { body: Buffer | null; of: string | null }

/**
 * Bytes that are the same for several deliveries of one event are kept with the first of them. A row that
 * exists keeps its place.
 * @param known ids whose rows exist, perhaps with other bytes: nobody else names them
 */
export function placeBodies<Delivery extends Pick<FoldedDelivery, 'job' | 'filedAt'>>(
  deliveries: readonly Delivery[],
  known: ReadonlySet<string> = new Set(),
): (Delivery & { place: BodyPlace })[] {
  const keepers = new Map<string, DeliveryJob[]>()
  const placeOf = ({ job, filedAt }: Delivery): BodyPlace => {
    if (job === null) return { body: null, of: null }
    const day = Math.floor(filedAt / dayMs)
    const key = JSON.stringify([job.projectId, job.environment, job.eventId, day])
    const ofEvent = keepers.get(key) ?? []
    const same = ofEvent.find(({ body }) => body.equals(job.body))
    if (same !== undefined) return { body: null, of: same.deliveryId }
    if (!known.has(job.deliveryId)) keepers.set(key, [...ofEvent, job])
    return { body: job.body, of: null }
  }
  return deliveries.map((delivery) => ({ ...delivery, place: placeOf(delivery) }))
}

const dayMs = 86_400_000
