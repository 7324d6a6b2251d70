import { atRate } from '../load/at-rate.ts'
import { Latencies } from '../measure/latencies.ts'
import type { TokenChecks } from './token-checks.ts'
import { openUsers } from './users.ts'

/**
 * Reads with a token in a separate process, so that the measurement does not include the load
 * generator.
 */
const { baseUrl, projectId, path, token, perSecond, seconds } = JSON.parse(
  process.argv[2] ?? '{}',
) as TokenChecks

await using users = openUsers({ system: { baseUrl }, projectId }, 16)
const latencies = new Latencies()
await atRate({ perSecond, seconds }, async () => {
  const at = performance.now()
  const status = await users.get(path, token)
  if (status !== 200) throw new Error(`A token was answered with ${status}`)
  latencies.add(performance.now() - at)
})
process.send?.(latencies.summary())
process.disconnect()
