import type { WebhookStats } from '@surehook/client'
import { count } from '../numbers.ts'
import { exactTime } from '../time/relative-time.ts'
import { hourMarks, scaleOf } from './chart-scale.ts'
import './attempts-chart.css'

type Series = WebhookStats['series']

const [plotHeight, hoursHeight, countsWidth] = [152, 24, 40]
const height = plotHeight + hoursHeight
/** A label at the top line needs half a line of text above it. */
const above = 8

/** Delivered and failed attempts over time, and the same numbers in a table. */
export function AttemptsChart({ series }: { series: Series }) {
  const { top, ticks } = scaleOf(Math.max(0, ...series.map(attempts)))
  const yOf = (value: number) => above + (1 - value / top) * (plotHeight - above)
  return (
    <figure className="attempts-chart">
      <div className="chart-plot" aria-hidden="true">
        <svg width={countsWidth} height={height} className="chart-counts">
          {ticks.map((tick) => (
            <text key={tick} x={countsWidth - 8} y={yOf(tick)}>
              {count(tick)}
            </text>
          ))}
        </svg>
        <svg width="100%" height={height}>
          {ticks.map((tick) => (
            <line key={tick} x2="100%" y1={yOf(tick)} y2={yOf(tick)} />
          ))}
          <Bars series={series} top={top} />
          {hourMarks(series.map(({ at }) => new Date(at))).map(({ index, text }) => (
            <text key={index} x={`${(index / series.length) * 100}%`} y={height - 8}>
              {text}
            </text>
          ))}
        </svg>
      </div>
      <figcaption className="chart-legend">
        <span className="legend-good">Delivered</span>
        <span className="legend-bad">Failed</span>
      </figcaption>
      <NumbersTable series={series} />
    </figure>
  )
}

/** A unit is a bucket wide, and an attempt high. The failed ones are at the bottom of each bar. */
function Bars({ series, top }: { series: Series; top: number }) {
  const bar = (from: number, size: number, index: number) =>
    size === 0 ? '' : `M${index + 0.125} ${top - from}v${-size}h.75v${size}z`
  return (
    <svg
      y={above}
      width="100%"
      height={plotHeight - above}
      viewBox={`0 0 ${Math.max(1, series.length)} ${top}`}
      preserveAspectRatio="none"
    >
      <path
        className="bars-bad"
        d={series.map((one, index) => bar(0, failed(one), index)).join('')}
      />
      <path
        className="bars-good"
        d={series.map((one, index) => bar(failed(one), one.delivered, index)).join('')}
      />
    </svg>
  )
}

function NumbersTable({ series }: { series: Series }) {
  return (
    <details className="chart-numbers">
      <summary>The numbers as a table</summary>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Delivered</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {series
            .filter((one) => attempts(one) > 0)
            .map((one) => (
              <tr key={one.at}>
                <td>{exactTime(new Date(one.at))}</td>
                <td>{one.delivered}</td>
                <td>{failed(one)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}

type Bucket = Series[number]

const failed = ({ retrying, deadLetter }: Bucket) => retrying + deadLetter
const attempts = (bucket: Bucket) => bucket.delivered + failed(bucket)
