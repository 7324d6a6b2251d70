const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const form = /^(\d{1,9})(ms|s|m|h|d)$/

/** Parses `250ms`, `5s`, `2m`, `1h` or `1d` to milliseconds. Throws for any other text. */
export function parseDuration(text: string): number {
  const [, amount, unit] = form.exec(text) ?? []
  if (amount === undefined || unit === undefined) {
    throw new Error(`"${text}" is not a duration such as 250ms, 5s, 2m, 1h or 1d`)
  }
  return Number(amount) * unitMs[unit as keyof typeof unitMs]
}
