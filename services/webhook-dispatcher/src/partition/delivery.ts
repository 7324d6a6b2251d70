import type { DeliveryJob } from '@surehook/contracts/events'
import type { WindowedMessage } from '@surehook/kafka/windowed/windowed-consumer'

/** A job in this process, from its reading until Kafka acknowledges its next place. */
export type Delivery = { job: DeliveryJob; message: WindowedMessage }
