import type { RecordPosition } from '@surehook/kafka/readers/record-reader'
import type { DeliveryJobHead } from '@surehook/schemas/codec'

/**
 * A job in the history. It has its place on `webhook.deliveries`, or its body while that place is
 * unknown.
 */
export type LoggedJob = DeliveryJobHead & { place?: RecordPosition; body?: Buffer }
