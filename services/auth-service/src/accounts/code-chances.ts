import { codesPerDay, codesPerHour } from '../limits/code-budget.ts'
import { shortCodes } from './code-text.ts'
import { attempts, liveCodes, longAfter } from './codes.ts'

const weeksPerYear = 365.25 / 7

/**
 * The most guesses at short codes that are compared, and the chance that one of them is right. Each
 * guess is compared with every valid code of its account.
 */
export type CodeChance = { guesses: number; chance: number }

const chanceOf = (guesses: number): CodeChance => ({
  guesses: Math.floor(guesses),
  chance: 1 - (1 - liveCodes / shortCodes) ** guesses,
})

/**
 * The last short code is made after one wrong try less than `longAfter`, and has all its attempts.
 */
const accountPerWeek = longAfter - 1 + attempts

/** What a stranger reaches who guesses without a pause and has any number of addresses. */
export const codeChances = {
  account: { week: chanceOf(accountPerWeek), year: chanceOf(accountPerWeek * weeksPerYear) },
  environment: {
    hour: chanceOf(codesPerHour),
    day: chanceOf(codesPerDay),
    year: chanceOf(codesPerDay * 365.25),
  },
} as const satisfies Record<string, Record<string, CodeChance>>
