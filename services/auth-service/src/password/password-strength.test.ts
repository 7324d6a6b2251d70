import { afterAll, describe, expect, it } from '@jest/globals'
import { createPasswordStrength } from './password-strength.ts'

/** Other tests may keep all cores busy. */
const patient = { maxWaitMs: 60_000 }
const strength = createPasswordStrength(patient)
afterAll(async () => strength[Symbol.asyncDispose]())

const about = ['ada.lovelace@example.com', 'ada', 'lovelace']
const scoreOf = (password: string) => strength.score({ password, about })

describe('the strength of a password', () => {
  it.each([
    ['aaaaaaaaaaaa', 0],
    ['lovelace', 0],
    ['qwertyuiop12', 1],
    ['correct horse 7 battery', 4],
  ])('of %j is %i', async (password, score) => {
    expect(await scoreOf(password)).toBe(score)
  })

  it('is that of its beginning when it is long', async () => {
    expect(await scoreOf(`${'a'.repeat(64)}correct horse 7 battery`)).toBe(0)
  })

  it('does not block the event loop, however costly it is', async () => {
    const costly = '@4$5!1|3\u20ac7+0'.repeat(400)
    let turns = 0
    let answered = false
    const scored = scoreOf(costly).finally(() => {
      answered = true
    })
    const turn = () => {
      turns++
      if (!answered) setImmediate(turn)
    }
    setImmediate(turn)
    await scored
    expect(turns).toBeGreaterThan(20)
  })

  it('starts again after it was ended', async () => {
    const own = createPasswordStrength(patient)
    const [unanswered] = await Promise.allSettled([
      own.score({ password: 'x', about }),
      own[Symbol.asyncDispose](),
    ])
    expect(unanswered).toMatchObject({ reason: { code: 'SERVICE_UNAVAILABLE' } })
    expect(await own.score({ password: 'aaaaaaaaaaaa', about })).toBe(0)
    await own[Symbol.asyncDispose]()
  })
})
