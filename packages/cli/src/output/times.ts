const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const

/** Formats a time exactly and relative to now: `2026-11-25T12:00:00Z (3m ago)`. */
export function timeCell(iso: string | null | undefined, now: number): string {
  if (iso === null || iso === undefined) return '-'
  const at = Date.parse(iso)
  if (Number.isNaN(at)) return iso
  return `${new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')} (${relative(at - now)})`
}

function relative(ms: number): string {
  const length = Math.abs(ms)
  const [unit, size] = units.find(([, each]) => length >= each) ?? ['s', 1_000]
  const text = `${Math.floor(length / size)}${unit}`
  return ms > 0 ? `in ${text}` : `${text} ago`
}
