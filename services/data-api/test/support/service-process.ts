import { fileURLToPath } from 'node:url'
import {
  type ServiceProcess,
  startServiceProcess as start,
} from '@surehook/testing/service-process'
import type { Config } from '../../src/config.ts'

const entry = fileURLToPath(new URL('run-service.ts', import.meta.url))

/** Starts the service as a separate process, so that a test can kill it. */
export const startServiceProcess = (config: Config): Promise<ServiceProcess> =>
  start(entry, { TEST_CONFIG: JSON.stringify(config) })
