/** What one run of the bench printed: by title and measure. */
export type Printed = readonly { title: string; measure: string; value: string }[]

export type Compared = {
  title: string
  measure: string
  before: string
  after: string
  ratio: string
}

/**
 * The medians of each number that both versions printed, and their ratios.
 * @param before runs of one version, `after` runs of the other
 */
export function compare(before: readonly Printed[], after: readonly Printed[]): Compared[] {
  const first = byMeasure(before)
  const second = byMeasure(after)
  const compared: Compared[] = []
  for (const [key, { title, measure, runs }] of first) {
    const others = second.get(key)
    if (others === undefined) continue
    const [mine, theirs] = [medians(runs), medians(others.runs)]
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

type Runs = { title: string; measure: string; runs: number[][] }

function byMeasure(printed: readonly Printed[]): Map<string, Runs> {
  const found = new Map<string, Runs>()
  for (const { title, measure, value } of printed.flat()) {
    const key = `${title}\0${measure}`
    const runs = found.get(key)?.runs ?? []
    found.set(key, { title, measure, runs: [...runs, numbersOf(value)] })
  }
  return found
}

/** `2,187/s` is one, `0.73 CPU-s, 450 MiB` are two. */
export function numbersOf(value: string): number[] {
  const texts = value.match(/(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?/g) ?? []
  return texts.map((text) => Number(text.replaceAll(',', '')))
}

function medians(runs: readonly number[][]): number[] {
  const length = Math.min(...runs.map((numbers) => numbers.length))
  return Array.from({ length }, (_, n) => {
    const sorted = runs.map((numbers) => numbers[n] ?? 0).toSorted((a, b) => a - b)
    return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  })
}
