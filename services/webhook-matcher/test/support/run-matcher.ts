import { runService } from '@surehook/service-kit/lifecycle'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { compose } from '../../src/compose.ts'
import type { Config } from '../../src/config.ts'

// A process of its own, so that a test can kill it: its only argument is the configuration.
const config = JSON.parse(process.argv[2] ?? '') as Config
const log = createLogger('test', 'silent')
await runService((signal) => compose(config, log, signal), { log })
