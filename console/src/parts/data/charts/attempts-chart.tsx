import type { WebhookStats } from '@surehook/client'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { exactTime } from '../time/relative-time.ts'
import './attempts-chart.css'

type Series = WebhookStats['series']

const height = 180
const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const hourOf = (seconds: number) => hours.format(seconds * 1_000)

/** Delivered and failed attempts over time, and the same numbers in a table. */
export default function AttemptsChart({ series }: { series: Series }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const chart = new UPlot(optionsFor(element), dataOf(series), element)
    const fit = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    fit.observe(element)
    const dark = window.matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => chart.redraw()
    dark.addEventListener('change', redraw)
    return () => {
      dark.removeEventListener('change', redraw)
      fit.disconnect()
      chart.destroy()
    }
  }, [series])
  return (
    <figure className="attempts-chart">
      <div ref={place} aria-hidden="true" />
      <figcaption className="chart-legend">
        <span className="legend-good">Delivered</span>
        <span className="legend-bad">Failed</span>
      </figcaption>
      <NumbersTable series={series} />
    </figure>
  )
}

function NumbersTable({ series }: { series: Series }) {
  const busy = series.filter((one) => one.delivered + failed(one) > 0)
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
          {busy.map((one) => (
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

const failed = ({ retrying, deadLetter }: Series[number]) => retrying + deadLetter

/** The failed bars are drawn over the sum, so that both stand on each other. */
const dataOf = (series: Series): UPlot.AlignedData => [
  series.map(({ at }) => Date.parse(at) / 1_000),
  series.map((one) => one.delivered + failed(one)),
  series.map(failed),
]

function optionsFor(element: HTMLElement): UPlot.Options {
  const colour = (name: string) => () => getComputedStyle(element).getPropertyValue(name)
  const bars = UPlot.paths.bars?.({ size: [0.75, 24] })
  const axis = {
    stroke: colour('--ink-3'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px ui-sans-serif, system-ui, sans-serif',
  }
  const drawn = (name: string) => ({
    fill: colour(name),
    stroke: colour(name),
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  })
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(4, most * 1.1)] } },
    axes: [
      { ...axis, size: 28, grid: { show: false }, values: (_chart, times) => times.map(hourOf) },
      { ...axis, size: 44 },
    ],
    series: [{}, drawn('--chart-good'), drawn('--chart-bad')],
  }
}
