import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { hideValues } from './hide-values.ts'

const answered = (answer: string) =>
  ({ kind: 'responded', status: 500, answer, latencyMs: 1 }) as const
const stored = (answer: string, headers: Record<string, string>) => {
  const result = hideValues(answered(answer), headers)
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
    ['at a cut', 'got Bearer tok', 'got ***'],
  ])('hides a value that comes back %s', (_how, answer, expected) => {
    expect(stored(answer, { Authorization: 'Bearer tok-1' })).toBe(expected)
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

it('hides a value in the message of a failure', () => {
  const failed = { kind: 'unreachable', errorClass: 'http', latencyMs: 1 } as const
  const result = hideValues({ ...failed, message: 'bad line: k3y-of-mine' }, { h: 'k3y-of-mine' })
  expect(result).toMatchObject({ message: 'bad line: ***' })
})
