import { byMeasure, medianText, rangeText } from '../compare/medians.ts'
import { printed, printRows } from './report.ts'

export type Rounds = {
  names: readonly string[]
  rounds: number
  run: (name: string) => Promise<void>
}

/**
 * Runs the scenarios in turn, each after a measurement of the machine's limit, so that a busy
 * minute does not affect only one of them. Prints the medians of each scenario.
 */
export async function inRounds({ names, rounds, run }: Rounds): Promise<void> {
  const others = names.filter((name) => name !== 'limit')
  const runs = new Map(
    (others.length > 0 ? others : names).map((name) => [name, [] as (typeof printed)[]]),
  )
  for (let round = 1; round <= rounds; round++) {
    for (const [name, found] of runs) {
      console.log(`\n# round ${round} of ${rounds}: ${name}`)
      const from = printed.length
      if (name !== 'limit') await run('limit')
      await run(name)
      found.push(printed.slice(from))
    }
  }
  console.log(`\n# medians of ${rounds}, and from the lowest to the highest`)
  for (const found of runs.values()) printMedians(found, rounds)
}

/** @param found the printed results of each round of one scenario, its limit first */
function printMedians(found: readonly (typeof printed)[], rounds: number): void {
  const titles = new Map<string, { measure: string; value: string }[]>()
  for (const { title, measure, values } of byMeasure(found).values()) {
    const range = rangeText(values)
    const often = values.length === rounds ? '' : `, in ${values.length} of ${rounds} rounds`
    const value = `${medianText(values)}${range && ` (${range})`}${often}`
    titles.set(title, [...(titles.get(title) ?? []), { measure, value }])
  }
  for (const [title, rows] of titles) printRows(`median: ${title}`, rows)
}
