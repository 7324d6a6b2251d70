import type { RecordPlace } from '@surehook/kafka/readers/record-reader'
import type { DeliveryJobHead } from '@surehook/schemas/codec'

/**
 * A job as the history keeps it: with its place on `webhook.deliveries`, or with its body while nobody has read
 * where it stands.
 */
export type LoggedJob = DeliveryJobHead & { place?: RecordPlace; body?: Buffer }
