import { openApiServer } from './http/api-server.ts'
import { openInternalServer } from './http/internal-server.ts'
import { createMetrics } from './telemetry/metrics.ts'

/** Facilities that a service gets from its process. */
export type Host = {
  readonly createMetrics: typeof createMetrics
  readonly openInternalServer: typeof openInternalServer
  readonly openApiServer: typeof openApiServer
}

/** Host of a service that has its own process. */
export const ownProcess: Host = { createMetrics, openInternalServer, openApiServer }
