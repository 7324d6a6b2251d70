import type { DeliveryJob } from '@surehook/contracts/events'

const testRecord = Buffer.from('"record":{"test":true},"data":{"test":true}')

/** True for the job of a test event, which has no change (see `jobs/test-job.ts`). */
export const isTestEvent = ({ body }: Pick<DeliveryJob, 'body'>): boolean =>
  body.includes(testRecord)
