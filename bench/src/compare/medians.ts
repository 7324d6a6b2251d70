/** The printed results of one run of the bench. */
export type ScenarioFigures = readonly { title: string; measure: string; value: string }[]

export type Values = { title: string; measure: string; values: string[] }

/** Returns the values of each measure, in the order of the runs. */
export function byMeasure(runs: readonly ScenarioFigures[]): Map<string, Values> {
  const found = new Map<string, Values>()
  for (const { title, measure, value } of runs.flat()) {
    const key = `${title}\0${measure}`
    const values = found.get(key)?.values ?? []
    found.set(key, { title, measure, values: [...values, value] })
  }
  return found
}

// Excludes digits within words, such as those of `p99`.
const number = /(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?/g

/** `2,187/s` has one number, `0.73 CPU-s, 450 MiB` has two. */
export const numbersOf = (value: string): number[] =>
  (value.match(number) ?? []).map((text) => Number(text.replaceAll(',', '')))

/** Returns the lower of the two middle values if their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}

/** Returns the median of each number that all values have. */
export function mediansOf(values: readonly string[]): number[] {
  const runs = values.map(numbersOf)
  const length = Math.min(...runs.map((numbers) => numbers.length))
  return Array.from({ length }, (_, n) => median(runs.map((numbers) => numbers[n] ?? 0)))
}

/**
 * Formats the median of each number like the values. Returns all values if their counts of numbers
 * differ.
 */
export function medianText(values: readonly string[]): string {
  const counts = new Set(values.map((value) => numbersOf(value).length))
  if (counts.size > 1) return values.join('; ')
  const medians = mediansOf(values)
  const texts = values.flatMap((value) => value.match(number) ?? [])
  const textOf = (wanted: number | undefined) =>
    texts.find((text) => Number(text.replaceAll(',', '')) === wanted) ?? ''
  let nth = 0
  return (values[0] ?? '').replaceAll(number, () => textOf(medians[nth++]))
}

/** Returns the lowest and the highest value, for values with one number. */
export function rangeText(values: readonly string[]): string {
  if (values.some((value) => numbersOf(value).length !== 1)) return ''
  const sorted = values.toSorted((a, b) => (numbersOf(a)[0] ?? 0) - (numbersOf(b)[0] ?? 0))
  return sorted.at(0) === sorted.at(-1) ? '' : `${sorted.at(0)} to ${sorted.at(-1)}`
}
