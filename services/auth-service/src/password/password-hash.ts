import { randomBytes } from 'node:crypto'
import { argon2id, needsRehash as argon2NeedsRehash, hash, verify } from 'argon2'
import { compare } from 'bcrypt'

/** OWASP's first choice for argon2id with little memory. Each hash stores its parameters. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
export const ownScheme = `$argon2id$v=19$m=${parameters.memoryCost},p=${parameters.parallelism},t=${parameters.timeCost}$`

const bcryptForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const argon2Form =
  /^\$argon2id\$v=19\$([mtp]=[1-9]\d{0,6}(?:,[mtp]=[1-9]\d{0,6}){2})\$([A-Za-z0-9+/]{11,128})\$([A-Za-z0-9+/]{16,172})$/
const schemeForm = /^(?:\$2[aby]\$\d\d\$|\$argon2id\$v=19\$[mtp=,\d]+\$)/

/** The highest cost of an imported hash: each wrong password in its environment costs as much. */
const limits = { bcryptRounds: 14, memoryCost: 65_536, timeCost: 4, parallelism: 4 }

/** bcrypt ignores all bytes after these. */
const bcryptBytes = 72

export function hashPassword(password: string): Promise<string> {
  return hash(password, { type: argon2id, ...parameters })
}

/** Verifies a hash of argon2id or bcrypt on libuv's threads. The hash stores its cost. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  if (!isBcrypt(passwordHash)) return verify(passwordHash, password)
  // PHP's `$2y$` equals `$2b$`, but the library knows only the latter.
  return compare(password, passwordHash.replace(/^\$2y\$/, '$2b$'))
}

/**
 * True if the password is longer than bcrypt reads: the ignored bytes may be wrong, and a new hash
 * would include them.
 */
export const isCut = (passwordHash: string, password: string): boolean =>
  isBcrypt(passwordHash) && Buffer.byteLength(password) > bcryptBytes

/** True if a matching password should be rehashed. */
export function needsRehash(passwordHash: string, password: string): boolean {
  if (isBcrypt(passwordHash)) return !isCut(passwordHash, password)
  return argon2NeedsRehash(passwordHash, parameters)
}

const isBcrypt = (passwordHash: string) => passwordHash.startsWith('$2')

/** The algorithm and parameters of a hash; `null` if the hash could not be imported. */
export function schemeOf(passwordHash: string): string | null {
  if (importFault(passwordHash) !== null) return null
  return schemeForm.exec(passwordHash)?.[0] ?? null
}

/** A hash that takes the time of its scheme and that no password matches. */
export function hashOfNobody(scheme: string): string {
  const text = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll('=', '')
  if (isBcrypt(scheme)) return scheme + text(40).replaceAll('+', '.').slice(0, 53)
  return `${scheme}${text(16)}$${text(32)}`
}

/**
 * The approximate cost of verifying a hash, in KiB times passes of argon2id. Nine rounds of bcrypt
 * cost as much as the default argon2id parameters.
 */
export function workOf(hashOrScheme: string): number {
  const rounds = /^\$2[aby]\$(\d\d)\$/.exec(hashOrScheme)?.[1]
  if (rounds !== undefined) return 76 * 2 ** Math.min(Number(rounds), 20)
  const { m = 0, t = 0 } = costsOf(hashOrScheme.split('$')[3] ?? '')
  return m * t
}

/** How many default hashes a wrong password costs. */
export const hashesOf = (costliest: string | null): number =>
  costliest === null ? 1 : 1 + Math.ceil(workOf(costliest) / workOf(ownScheme))

/** How many cores the verification uses. */
export function lanesOf(hashOrScheme: string): number {
  if (isBcrypt(hashOrScheme)) return 1
  return costsOf(hashOrScheme.split('$')[3] ?? '')['p'] ?? 1
}

/** Like `workOf`, but `null` for a hash with the default parameters. */
export function foreignWorkOf(passwordHash: string | null): number | null {
  if (passwordHash === null) return null
  const { memoryCost: m, timeCost: t, parallelism: p } = parameters
  const costs = costsOf(argon2Form.exec(passwordHash)?.[1] ?? '')
  return costs['m'] === m && costs['t'] === t && costs['p'] === p ? null : workOf(passwordHash)
}

/** Returns why a hash cannot be imported, or `null`. */
export function importFault(passwordHash: string): string | null {
  const rounds = bcryptForm.exec(passwordHash)?.[1]
  if (rounds !== undefined) return bcryptFault(Number(rounds))
  const [, costs, salt = '', digest = ''] = argon2Form.exec(passwordHash) ?? []
  return costs === undefined || !isBase64(salt) || !isBase64(digest)
    ? 'must be an argon2id or bcrypt hash'
    : argon2Fault(costsOf(costs))
}

/** True only for canonical base64 without padding: Node also decodes other spellings. */
const isBase64 = (text: string) =>
  Buffer.from(text, 'base64').toString('base64').replaceAll('=', '') === text

const within = (value: number, min: number, max: number) => value >= min && value <= max

function bcryptFault(rounds: number): string | null {
  return within(rounds, 4, limits.bcryptRounds)
    ? null
    : `must have 4 to ${limits.bcryptRounds} rounds of bcrypt`
}

function argon2Fault({ m = 0, t = 0, p = 0 }: Partial<Record<string, number>>): string | null {
  const { memoryCost, timeCost, parallelism } = limits
  const isAccepted =
    within(m, 8 * p, memoryCost) && within(t, 1, timeCost) && within(p, 1, parallelism)
  return isAccepted
    ? null
    : `must have argon2id parameters up to m=${memoryCost}, t=${timeCost}, p=${parallelism}`
}

/** Parses `m=19456,t=2,p=1` in any order, because libraries differ. */
function costsOf(costs: string): Partial<Record<string, number>> {
  const pairs = costs.split(',').map((cost) => cost.split('='))
  return Object.fromEntries(pairs.map(([name = '', value]) => [name, Number(value)]))
}
