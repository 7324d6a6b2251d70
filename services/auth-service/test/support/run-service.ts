import { runServiceProcess } from '@surehook/testing/service-process'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'

/** Runs `main.ts` with a replication slot of the test's own, which no variable can set. */
const { TEST_SLOT: slot = '', ...env } = process.env

await runServiceProcess((log, signal) => compose({ ...readConfig(env), slot }, log, signal))
