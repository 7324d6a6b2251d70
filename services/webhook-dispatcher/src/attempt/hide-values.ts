import { type OwnHeaders, secretPart } from '@surehook/matching/own-headers'
import type { AttemptResult } from '../transitions/decide-next-attempt.ts'

const hidden = '***'
/**
 * The least characters of a value that are hidden at a cut end of the text. Fewer reveal nothing.
 */
const leastCut = 4

/**
 * Removes the values of the subscriber's headers from the result, because receivers echo requests.
 */
export function hideValues(result: AttemptResult, headers: OwnHeaders): AttemptResult {
  const values = Object.values(headers)
  if (values.length === 0) return result
  const forms = formsOf(values)
  if (result.kind === 'unreachable') return { ...result, message: without(result.message, forms) }
  const answer = without(result.answer, forms)
  return { ...result, answer: result.isCut === true ? withoutCut(answer, forms) : answer }
}

/**
 * Returns the values as they were sent, and as JSON and URLs write them. The longest is first,
 * because one value may contain another.
 */
function formsOf(values: readonly string[]): string[] {
  // Receivers echo credentials without their scheme too.
  const plain = values.flatMap((value) => [value, secretPart(value)])
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
  return left
}

/** Hides the beginning of a value with which a text ends that was cut. */
function withoutCut(text: string, forms: readonly string[]): string {
  const cut = Math.max(0, ...forms.map((form) => cutLength(text, form)))
  return cut < leastCut ? text : text.slice(0, -cut) + hidden
}

/**
 * Length of the longest proper beginning of `form` with which the text ends. Knuth, Morris and
 * Pratt's algorithm: receivers choose the text and subscribers the form, so the time must be
 * linear.
 */
export function cutLength(text: string, form: string): number {
  const start = form.slice(0, -1)
  /** At n - 1: length of the longest proper beginning of the first n characters that ends them. */
  const borders = [0]
  const lengthen = (matched: number, char: string): number => {
    let length = matched
    while (length > 0 && start[length] !== char) length = borders[length - 1] ?? 0
    return start[length] === char ? length + 1 : 0
  }
  for (let at = 1; at < start.length; at++) {
    borders.push(lengthen(borders[at - 1] ?? 0, start.charAt(at)))
  }
  let length = 0
  // No character before these can be part of the match.
  for (let at = Math.max(0, text.length - start.length); at < text.length; at++) {
    length = lengthen(length, text.charAt(at))
  }
  return length
}
