import { runServiceProcess } from '@surehook/testing/service-process'
import { compose } from '../../src/compose.ts'
import type { Config } from '../../src/config.ts'

/** Runs `main.ts` with a replication slot of the test's own, which no variable can set. */
const given: Config = JSON.parse(process.env['TEST_CONFIG'] ?? '')
// JSON cannot hold the parsed networks.
const config: Config = { ...given, trustedProxies: [] }

await runServiceProcess((log, signal) => compose(config, log, signal))
