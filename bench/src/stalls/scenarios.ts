import { dispatchers } from './dispatchers.ts'
import { fairness } from './fairness.ts'
import { hanging } from './hanging.ts'
import { neighbours } from './neighbours.ts'
import { openStallBench, type StallBench, type StallOptions } from './stall-bench.ts'

/** Scenarios of `npm run bench` about loads that must not delay others. */
export function stallScenarios(options: StallOptions): Record<string, () => Promise<void>> {
  const on = (run: (bench: StallBench) => Promise<void>) => async () => {
    await using bench = await openStallBench(options)
    await run(bench)
  }
  return {
    neighbours: on(neighbours),
    fairness: on(fairness),
    dispatchers: on(dispatchers),
    hanging: on(hanging),
  }
}
