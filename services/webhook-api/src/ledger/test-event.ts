import type { DeliveryJob } from '@surehook/contracts/events'

const testRecord = Buffer.from('"record":{"test":true},"data":{"test":true}')

/** Whether a job is a test event, of which there is no change: see `deliveries/test-job.ts`. */
export const isTestEvent = ({ body }: Pick<DeliveryJob, 'body'>): boolean =>
  body.includes(testRecord)
