import { runService } from '@surehook/service-kit/lifecycle'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { compose } from '../../src/compose.ts'
import type { Config } from '../../src/config.ts'

/** Runs `main.ts` with a replication slot of the test's own, which no variable can set. */
const given: Config = JSON.parse(process.env['TEST_CONFIG'] ?? '')
// JSON cannot hold the parsed networks.
const config: Config = { ...given, trustedProxies: [] }
const log = createLogger('data-api', 'silent')

await runService(
  async (signal) => {
    const service = await compose(config, log, signal)
    return {
      async start() {
        await service.start(signal)
        const url = (port: number) => `http://127.0.0.1:${port}`
        const { api, internal } = service.ports
        process.stdout.write(`${JSON.stringify({ api: url(api), internal: url(internal) })}\n`)
      },
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    }
  },
  { log },
)
