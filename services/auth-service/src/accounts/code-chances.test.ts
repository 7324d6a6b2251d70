import { readFile } from 'node:fs/promises'
import { describe, expect, it } from '@jest/globals'
import { codeChances } from './code-chances.ts'

const page = new URL('../../../../docs/reference/authentication-rules.md', import.meta.url)

describe('the chance to guess a short code', () => {
  it('is three in a million for each guess at three codes', () => {
    const { chance } = codeChances.environment.hour
    // Bernoulli's inequality: at most the sum, and nearly that for few guesses.
    expect(chance).toBeLessThanOrEqual(30 * 3e-6)
    expect(chance).toBeGreaterThan(30 * 3e-6 * 0.999)
  })

  it('grows with the guesses, but is never certain', () => {
    const none = 1 - codeChances.environment.year.chance
    // Of 36,525 guesses, none is right: e to the power of minus their sum.
    expect(none).toBeCloseTo(Math.exp(-36_525 * 3e-6), 6)
  })

  it('is published as it is computed', async () => {
    const rows = (await readFile(page, 'utf8')).matchAll(
      /^\| (one account|all accounts of an environment) \| an? (\w+) \| ([\d,]+) \| ([\d.]+) % \|$/gm,
    )
    const published = [...rows].map(([, who, time, guesses, percent]) => [
      who === 'one account' ? 'account' : 'environment',
      time,
      Number(guesses?.replaceAll(',', '')),
      Number(percent),
    ])
    const computed = Object.entries(codeChances).flatMap(([who, times]) =>
      Object.entries(times).map(([time, { guesses, chance }]) => [
        who,
        time,
        guesses,
        Number((100 * chance).toPrecision(2)),
      ]),
    )
    expect(published).toEqual(computed)
  })
})
