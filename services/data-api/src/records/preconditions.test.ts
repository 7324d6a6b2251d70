import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { etagOf, requireMatch, statesFor } from './preconditions.ts'

const recordAt = (updatedAt: string, columns = 3) => ({
  text: `{"id":"x","note":"\\"}","updatedAt":"${updatedAt}"}`,
  columns,
})
const at = '2026-02-03T04:05:06.789Z'
const etag = etagOf(recordAt(at))

describe('the ETag of a record', () => {
  test('changes with the time and the columns', () => {
    const times = fc.date({
      min: new Date('0001-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    })
    const property = fc.property(times, times, fc.nat(200), fc.nat(200), (a, b, m, n) => {
      const [one, other] = [recordAt(a.toISOString(), m), recordAt(b.toISOString(), n)]
      expect(etagOf(one) === etagOf(other)).toBe(a.getTime() === b.getTime() && m === n)
      expect(statesFor({ ifMatch: etagOf(one) }, m)).toEqual({ only: [a.toISOString()], never: [] })
    })
    fc.assert(property)
  })

  test('is strong', () => expect(etag).toMatch(/^"[^"]+"$/))
})

describe('preconditions', () => {
  test.each([
    ['none', {}, null],
    ['any', { ifMatch: '*' }, { only: null, never: [] }],
    ['one', { ifMatch: etag }, { only: [at], never: [] }],
    ['several', { ifMatch: `"x,y" , ${etag},"z"` }, { only: [at], never: [] }],
    ['a weak one, which never matches', { ifMatch: `W/${etag}` }, { only: [], never: [] }],
    ['of other columns', { ifMatch: etagOf(recordAt(at, 4)) }, { only: [], never: [] }],
    ['made up', { ifMatch: '"zzzzzzzzzzz.3"' }, { only: [], never: [] }],
    ['not this', { ifNoneMatch: `W/${etag}` }, { only: null, never: [at] }],
    ['none at all', { ifNoneMatch: '*' }, { only: [], never: [] }],
    ['both', { ifMatch: etag, ifNoneMatch: '"x"' }, { only: [at], never: [] }],
  ])('%s', (_what, preconditions, states) => {
    expect(statesFor(preconditions, 3)).toEqual(states)
  })

  test.each(['', ',', 'x', etag.slice(1), `${etag} x`, '*, "x"', '"a" "b"', 'w/"x"'])(
    'that are none: %j',
    (text) => {
      for (const [name, value] of Object.entries({ ifMatch: text, ifNoneMatch: text })) {
        const field = name === 'ifMatch' ? 'If-Match' : 'If-None-Match'
        expect(() => statesFor({ [name]: value }, 3)).toThrow(
          expect.objectContaining({
            code: 'VALIDATION_ERROR',
            violations: [{ field, message: expect.any(String), rule: 'invalid_format' }],
          }),
        )
      }
    },
  )

  test('of a record that is read', () => {
    for (const ifMatch of [undefined, '*', etag, `"x", ${etag}`]) {
      expect(() => requireMatch({ ifMatch }, recordAt(at))).not.toThrow()
    }
    for (const ifMatch of ['"x"', `W/${etag}`]) {
      expect(() => requireMatch({ ifMatch }, recordAt(at))).toThrow(
        expect.objectContaining({ code: 'PRECONDITION_FAILED' }),
      )
    }
  })
})
