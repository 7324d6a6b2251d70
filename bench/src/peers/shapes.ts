import type { Mode } from '@surehook/scripts/system/service-catalog'
import { openBench } from '../platform/open-bench.ts'
import { startSystem } from '../platform/start-system.ts'
import type { LoadFigures, StateFigures } from './figures.ts'
import { idle, type Load, loadsOf, stateNow } from './loads.ts'

export type Measuring = {
  rounds: number
  seconds: number
  changes: number
  /** A part of the names of the loads to run. Empty for all. */
  only: string
}

export type ShapeFigures = {
  loads: readonly (Pick<Load, 'name' | 'kind'> & { rounds: readonly LoadFigures[] })[]
  atRest: StateFigures
  afterLoad: StateFigures
}

/** Starts the system of a checkout in this shape, measures it, and stops it. */
export async function measureShape(
  dir: string,
  mode: Mode,
  { rounds, seconds, changes, only }: Measuring,
): Promise<ShapeFigures> {
  await using _system = await startSystem(dir, mode)
  await using bench = await openBench(dir)
  const atRest = await idle(bench, seconds)
  const loads = loadsOf(bench, { seconds, changes }).filter(({ name }) => name.includes(only))
  const found = loads.map((load) => ({ ...load, rounds: [] as LoadFigures[] }))
  for (let round = 1; round <= rounds; round++) {
    for (const { name, measure, rounds: figures } of found) {
      console.log(`# ${mode}, round ${round} of ${rounds}: ${name}`)
      figures.push(await measure())
    }
  }
  return { loads: found, atRest, afterLoad: await stateNow(bench) }
}
