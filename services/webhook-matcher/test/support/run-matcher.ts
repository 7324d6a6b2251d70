import { runService } from '@surehook/service-kit/lifecycle'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { compose } from '../../src/compose.ts'
import type { Config } from '../../src/config.ts'

// Runs a matcher as a separate process, so that a test can kill it. Its only argument is the
// configuration.
const config = JSON.parse(process.argv[2] ?? '') as Config
const log = createLogger('test', 'silent')
await runService((signal) => compose(config, log, signal), { log })
