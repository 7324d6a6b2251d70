/** An exact decimal number without leading or trailing zeros. Zero is never negative. */
export type Decimal = {
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
}

// The form in which PostgreSQL and JSON write numbers: "007" is text.
const form = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?$/

/** Longest text that counts as a number when the field's type is unknown. */
export const maxDecimalLength = 1100

/**
 * Returns `null` when `text` is not a plain decimal number (`-12.50`; no exponent, no leading
 * zeros).
 */
export function parseDecimal(text: string): Decimal | null {
  if (text.length > maxDecimalLength) return null
  const match = form.exec(text)
  return match === null ? null : decimal(match[1] === '-', match[2] ?? '', match[3] ?? '')
}

/** Returns the shortest decimal that identifies `value`, which must be finite. */
export function decimalOf(value: number): Decimal {
  const [whole = '', fraction = ''] = plainNumeral(String(Math.abs(value))).split('.')
  return decimal(value < 0, whole, fraction)
}

/**
 * Writes a number of JSON or GraphQL without its exponent: `1.50e-7` is `0.000000150`. A numeral
 * that would be too long stays as it is.
 */
export function plainNumeral(numeral: string): string {
  const [mantissa = '', exponent = '0'] = numeral.toLowerCase().split('e')
  const shift = Number(exponent)
  if (shift === 0) return mantissa
  if (Math.abs(shift) > maxDecimalLength) return numeral
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = whole + fraction
  const point = whole.length + shift
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  const rest = digits.slice(point)
  return `${sign}${digits.slice(0, point).padEnd(point, '0')}${rest === '' ? '' : `.${rest}`}`
}

function decimal(negative: boolean, wholeDigits: string, fractionDigits: string): Decimal {
  const whole = wholeDigits.replace(/^0+(?=\d)/, '')
  const fraction = fractionDigits.replace(/0+$/, '')
  return { negative: negative && (whole !== '0' || fraction !== ''), whole, fraction }
}

export function printDecimal({ negative, whole, fraction }: Decimal): string {
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Sort comparator: returns a negative number, 0 or a positive number. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.negative !== b.negative) return a.negative ? -1 : 1
  const size =
    a.whole.length - b.whole.length ||
    compareDigits(a.whole, b.whole) ||
    compareDigits(a.fraction, b.fraction)
  return a.negative ? 0 - size : size
}

const compareDigits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
