const whole = new Intl.NumberFormat('en')
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

export const count = (value: number): string => whole.format(value)

/** A share from 0 to 1. No failure hides behind rounding: 99.99 % is not shown as 100 %. */
export function percent(value: number | null): string {
  if (value === null) return '–'
  if (value < 1 && value > 0.999) return '> 99.9%'
  return share.format(value)
}

export function milliseconds(value: number | null): string {
  if (value === null) return '–'
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`
}

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`
