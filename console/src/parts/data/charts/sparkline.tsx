import './sparkline.css'

type SparklineProps = { values: readonly number[]; faults: readonly number[]; label: string }

const [width, height] = [96, 24]

/** Attempts over time, the failed ones at the bottom of each bar. */
export function Sparkline({ values, faults, label }: SparklineProps) {
  const highest = Math.max(1, ...values.map((value, index) => value + (faults[index] ?? 0)))
  const step = width / Math.max(1, values.length)
  const bar = (from: number, count: number, index: number) =>
    `M${(index * step + step / 2).toFixed(1)} ${(height - from).toFixed(1)}v${(-count).toFixed(1)}`
  const scaled = (count: number) => (count / highest) * height
  const bad = faults.map((count, index) => bar(0, scaled(count), index)).join('')
  const good = values
    .map((count, index) => bar(scaled(faults[index] ?? 0), scaled(count), index))
    .join('')
  return (
    <svg
      className="sparkline"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      strokeWidth={Math.max(1, step - 1)}
    >
      <path className="sparkline-ground" d={`M0 ${height}h${width}`} />
      <path className="sparkline-good" d={good} />
      <path className="sparkline-bad" d={bad} />
    </svg>
  )
}
