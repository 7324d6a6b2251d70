import { argon2id, needsRehash as argon2NeedsRehash, hash, verify } from 'argon2'
import { compare } from 'bcrypt'

/** OWASP's first choice for argon2id with little memory. They stand in each hash. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

const bcryptForm = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const argon2Form =
  /^\$argon2id\$v=19\$((?:[mtp]=\d{1,7},?){3})\$[A-Za-z0-9+/]{11,128}\$[A-Za-z0-9+/]{16,172}$/

/** What an imported hash may cost: each login pays for it. */
const limits = { bcryptRounds: 14, memoryCost: 131_072, timeCost: 10, parallelism: 16 }

export function hashPassword(password: string): Promise<string> {
  return hash(password, { type: argon2id, ...parameters })
}

/** Of argon2id or bcrypt. Runs on libuv's threads; what it costs stands in the hash. */
export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  if (!passwordHash.startsWith('$2')) return verify(passwordHash, password)
  // PHP's $2y$ is $2b$ by another name, which the library does not know.
  return compare(password, passwordHash.replace(/^\$2y\$/, '$2b$'))
}

export function needsRehash(passwordHash: string): boolean {
  return passwordHash.startsWith('$2') || argon2NeedsRehash(passwordHash, parameters)
}

/** Why a hash cannot be imported, or `null`. */
export function importFault(passwordHash: string): string | null {
  const rounds = bcryptForm.exec(passwordHash)?.[1]
  if (rounds !== undefined) return bcryptFault(Number(rounds))
  const costs = argon2Form.exec(passwordHash)?.[1]
  return costs === undefined ? 'must be an argon2id or bcrypt hash' : argon2Fault(costsOf(costs))
}

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

/** `m=19456,t=2,p=1`, in whatever order a library writes them. */
function costsOf(costs: string): Partial<Record<string, number>> {
  const pairs = costs.split(',').map((cost) => cost.split('='))
  return Object.fromEntries(pairs.map(([name = '', value]) => [name, Number(value)]))
}
