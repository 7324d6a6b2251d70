import { useStats } from '../../api/queries.ts'
import { milliseconds, percent, plural } from '../../parts/data/numbers.ts'
import { Sparkline } from '../../parts/data/sparkline.tsx'

export function SparklineCell({ id }: { id: string }) {
  const { data } = useStats(id)
  if (data === undefined) return null
  const failed = data.series.map(({ retrying, deadLetter }) => retrying + deadLetter)
  const total = failed.reduce((sum, one) => sum + one, 0)
  const label = `${plural(data.attempts, 'attempt')}, ${plural(total, 'failure')}`
  return (
    <Sparkline
      values={data.series.map(({ delivered }) => delivered)}
      faults={failed}
      label={label}
    />
  )
}

export function SuccessCell({ id }: { id: string }) {
  const { data } = useStats(id)
  return data === undefined ? null : percent(data.successRate)
}

export function LatencyCell({ id }: { id: string }) {
  const { data } = useStats(id)
  return data === undefined ? null : milliseconds(data.latencyMs.p95)
}
