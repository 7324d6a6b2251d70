import type { DeliveryJob } from '@surehook/contracts/events'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'

/** A job in this process, from its reading to the ack of its next place. */
export type Delivery = { job: DeliveryJob; message: WindowedMessage }
