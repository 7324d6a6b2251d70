import { runService } from '@surehook/service-kit/lifecycle'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { compose } from './compose.ts'
import { readConfig, service } from './config.ts'

const log = createLogger(service, process.env['LOG_LEVEL'])

try {
  const config = readConfig(process.env)
  await runService((signal) => compose(config, log, signal), { log })
} catch (err) {
  log.fatal({ err }, 'service.crashed')
  process.exitCode = 1
}
