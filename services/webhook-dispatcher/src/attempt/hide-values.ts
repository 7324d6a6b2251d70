import type { OwnHeaders } from '@surehook/matching/own-headers'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'

const hidden = '***'
/**
 * The least characters of a value that are hidden at a cut end of the text. Fewer reveal nothing.
 */
const leastCut = 4
/** RFC 9110 §11.4: receivers echo credentials without their scheme too. */
const credentials = /^[A-Za-z][\w-]* +(\S+)$/

/**
 * Removes the values of the subscriber's headers from the result, because receivers echo requests.
 */
export function hideValues(result: AttemptResult, headers: OwnHeaders): AttemptResult {
  const values = Object.values(headers)
  if (values.length === 0) return result
  const forms = formsOf(values)
  return result.kind === 'responded'
    ? { ...result, answer: without(result.answer, forms) }
    : { ...result, message: without(result.message, forms) }
}

/**
 * Returns the values as they were sent, and as JSON and URLs write them. The longest is first,
 * because one value may contain another.
 */
function formsOf(values: readonly string[]): string[] {
  const plain = values.flatMap((value) => [value, credentials.exec(value)?.[1] ?? value])
  const forms = plain.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
  ])
  return [...new Set(forms)].toSorted((a, b) => b.length - a.length)
}

function without(text: string, forms: readonly string[]): string {
  let left = text
  for (const form of forms) left = left.replaceAll(form, hidden)
  const cut = Math.max(0, ...forms.map((form) => cutLength(left, form)))
  return cut === 0 ? left : left.slice(0, -cut) + hidden
}

/** Returns the length of the longest beginning of `form` that ends the text. */
function cutLength(text: string, form: string): number {
  for (let length = Math.min(form.length - 1, text.length); length >= leastCut; length--) {
    if (text.endsWith(form.slice(0, length))) return length
  }
  return 0
}
