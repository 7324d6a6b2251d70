import { openApiServer } from './http/api-server.ts'
import { openInternalServer } from './http/internal-server.ts'
import { createMetrics } from './telemetry/metrics.ts'

/** What a service takes from the process that it runs in. */
export type Host = {
  readonly createMetrics: typeof createMetrics
  readonly openInternalServer: typeof openInternalServer
  readonly openApiServer: typeof openApiServer
}

/** A service that has its process to itself. */
export const ownProcess: Host = { createMetrics, openInternalServer, openApiServer }
