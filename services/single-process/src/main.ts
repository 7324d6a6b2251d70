import { runService } from '@surehook/service-kit/lifecycle'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { compose } from './compose.ts'
import { processName, readConfig } from './config.ts'
import { logLevelOf } from './environments.ts'

const logs = (name: string) => createLogger(name, logLevelOf(name, process.env))
const log = logs(processName)

try {
  const config = readConfig(process.env)
  const { graceMs } = config
  await runService((signal) => compose(config, logs, signal), { log, graceMs })
} catch (err) {
  log.fatal({ err }, 'service.crashed')
  process.exitCode = 1
}
