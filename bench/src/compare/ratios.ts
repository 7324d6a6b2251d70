import { byMeasure, mediansOf, type ScenarioFigures } from './medians.ts'

export type Comparison = {
  title: string
  measure: string
  before: string
  after: string
  ratio: string
}

/**
 * Returns the medians of each number that both versions printed, and their ratios.
 * @param before runs of one version; `after` has runs of the other
 */
export function compare(
  before: readonly ScenarioFigures[],
  after: readonly ScenarioFigures[],
): Comparison[] {
  const first = byMeasure(before)
  const second = byMeasure(after)
  const compared: Comparison[] = []
  for (const [key, { title, measure, values }] of first) {
    const others = second.get(key)
    if (others === undefined) continue
    const [mine, theirs] = [mediansOf(values), mediansOf(others.values)]
    if (mine.length === 0 || mine.length !== theirs.length) continue
    const ratios = mine.map((value, n) =>
      value === 0 ? '–' : ((theirs[n] ?? 0) / value).toFixed(2),
    )
    compared.push({
      ...{ title, measure, before: mine.join(', '), after: theirs.join(', ') },
      ratio: ratios.join(', '),
    })
  }
  return compared
}
