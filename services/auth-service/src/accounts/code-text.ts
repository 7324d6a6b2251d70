import { randomBytes, randomInt } from 'node:crypto'

/** Crockford's base 32: no letter looks like a digit or like another letter. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const longLength = 20

/** How many short codes there are. */
export const shortCodes = 1_000_000

/** Six digits. */
export const newShortCode = () => String(randomInt(shortCodes)).padStart(6, '0')

/** 20 letters and digits: 100 random bits. */
export const newLongCode = () =>
  Array.from(randomBytes(longLength), (byte) => alphabet[byte % alphabet.length]).join('')

/** The code that a user means: one that was copied with spaces or hyphens, or in lower case. */
export const readCode = (text: string) => text.replaceAll(/[\s-]/g, '').toUpperCase()

export const isShortCode = (code: string) => /^\d{6}$/.test(code)
