import { type ServiceUnderTest, useService } from './use-service.ts'

/** Limits of streams that a test can reach. */
export const fewStreams = { perTenant: 5, perUser: 3, perReplica: 8, heartbeatMs: 200 }

/** Runs the service with these limits for the tests of a file. */
export const useFewStreams = (): ServiceUnderTest => useService({ streams: fewStreams })
