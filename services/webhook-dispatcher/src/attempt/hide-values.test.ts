import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { cutLength, hideValues } from './hide-values.ts'

const answered = (answer: string, isCut = false) =>
  ({ kind: 'responded', status: 500, answer, isCut, latencyMs: 1 }) as const
const stored = (answer: string, headers: Record<string, string>, isCut = false) => {
  const result = hideValues(answered(answer, isCut), headers)
  return result.kind === 'responded' ? result.answer : ''
}

describe('an answer', () => {
  it('is stored as it is without headers', () => {
    const result = answered('Bearer abc')
    expect(hideValues(result, {})).toBe(result)
  })

  it.each([
    ['as it was sent', 'got Bearer tok-1!', 'got ***!'],
    ['without its scheme', 'got tok-1!', 'got ***!'],
    ['twice', 'tok-1 tok-1', '*** ***'],
  ])('hides a value that comes back %s', (_how, answer, expected) => {
    expect(stored(answer, { Authorization: 'Bearer tok-1' })).toBe(expected)
  })

  it('hides the beginning of a value at a cut', () => {
    const headers = { Authorization: 'Bearer tok-1' }
    expect(stored('got Bearer tok', headers, true)).toBe('got ***')
    expect(stored('got Bea', headers, true)).toBe('got Bea')
    expect(stored('got Bearer tok', headers)).toBe('got Bearer tok')
  })

  it('hides a value as JSON and as a URL write it', () => {
    const value = 'a"b\\c&d e'
    const answer = `${JSON.stringify({ value })} ?q=${encodeURIComponent(value)}`
    expect(stored(answer, { 'X-Key': value })).toBe('{"value":"***"} ?q=***')
  })

  it('hides the longer of two values first', () => {
    expect(stored('secret-and-more', { a: 'secret', b: 'secret-and-more' })).toBe('***')
  })

  it('never holds a value, whatever is around it', () => {
    const value = fc.string({ minLength: 5, maxLength: 40 }).filter((text) => !text.includes('*'))
    fc.assert(
      fc.property(value, fc.string(), fc.string(), (secret, before, behind) => {
        expect(stored(before + secret + behind, { h: secret })).not.toContain(secret)
      }),
    )
  })
})

describe('the beginning of a value at the end of a text', () => {
  const naive = (text: string, form: string) => {
    let length = Math.max(0, form.length - 1)
    while (!text.endsWith(form.slice(0, length))) length--
    return length
  }

  it('is as long as the definition says', () => {
    // Texts of few letters repeat their beginnings within themselves.
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\u{1F511}'), maxLength: 20 })
    fc.assert(
      fc.property(letters, letters, fc.nat(20), (before, form, cut) => {
        const text = before + form.slice(0, cut)
        expect(cutLength(text, form)).toBe(naive(text, form))
      }),
      { numRuns: 2_000 },
    )
  })

  it('is found in linear time', () => {
    // Comparing every length takes many minutes, and this 0.2 s.
    const half = 'a'.repeat(2_000_000)
    const startedAt = performance.now()
    expect(cutLength(`${half}b`, `${half}c${half}`)).toBe(0)
    expect(cutLength(`b${half}`, `${half}c`)).toBe(half.length)
    expect(performance.now() - startedAt).toBeLessThan(60_000)
  })
})

it('hides a value in the message of a failure', () => {
  const failed = { kind: 'unreachable', errorClass: 'http', latencyMs: 1 } as const
  const result = hideValues({ ...failed, message: 'bad line: k3y-of-mine' }, { h: 'k3y-of-mine' })
  expect(result).toMatchObject({ message: 'bad line: ***' })
})
