import type { WebhookNumbers } from '@surehook/client'
import { Sparkline } from '../../parts/data/charts/sparkline.tsx'
import { plural } from '../../parts/data/numbers.ts'

/** The attempts of the last day. */
export function TrafficCell({ numbers }: { numbers: WebhookNumbers | undefined }) {
  if (numbers === undefined) return null
  const { attempts, trend } = numbers
  const total = trend.failed.reduce((sum, one) => sum + one, 0)
  const label = `${plural(attempts, 'attempt')}, ${plural(total, 'failure')}`
  return <Sparkline values={trend.delivered} faults={trend.failed} label={label} />
}
