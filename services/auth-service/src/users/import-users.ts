import { ImportedUser } from '@surehook/contracts/http/admin/users'
import type { RuledViolation } from '@surehook/contracts/problem'
import { parsePart, soundFields } from '@surehook/service-kit/http/violations'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import { importFault } from '../password/password-hash.ts'
import { holdEnvironment } from '../platform/environments.ts'
import { knownRoles, roleFaults } from '../platform/roles.ts'
import type { TenantName } from '../platform/tenant.ts'
import { type ChangeOrigin, emitUserChanges } from './user-changes.ts'
import { insertUsers } from './user-store.ts'

export type ImportResult = {
  imported: number
  failed: { index: number; violations: RuledViolation[] }[]
}

/** A user of an import, checked alone. */
export type Candidate = {
  index: number
  user: ImportedUser | undefined
  /** Present even if the user is not imported, so that the answer names every fault. */
  roles: readonly string[]
  violations: RuledViolation[]
}

/** Imports the users without faults. Returns each other user's faults. */
export async function importUsers(
  pool: Pool,
  tenant: TenantName,
  { candidates, origin }: { candidates: readonly Candidate[]; origin: ChangeOrigin },
): Promise<ImportResult> {
  await addRoleFaults(pool, tenant, candidates)
  addRepeats(candidates)
  const good = candidates.flatMap(({ user, violations }) =>
    user !== undefined && violations.length === 0 ? [user] : [],
  )
  const imported = await inTransaction(pool, async (tx) => {
    await holdEnvironment(tx, { project: tenant.projectId, environment: tenant.environment })
    // In a fixed order: two imports with the same addresses could otherwise deadlock.
    const inOrder = good.toSorted((a, b) => (a.email < b.email ? -1 : 1))
    const created = await insertUsers(tx, tenant, inOrder)
    const changes = created.map((user) => ({ operation: 'INSERT', user }) as const)
    await emitUserChanges(tx, changes, origin)
    return new Set(created.map(({ email }) => email))
  })
  for (const { user, violations } of candidates) {
    if (user === undefined || violations.length > 0 || imported.has(user.email)) continue
    violations.push({ field: 'email', message: 'is registered already', rule: 'email_taken' })
  }
  return { imported: imported.size, failed: failedOf(candidates) }
}

/** The most faults that one answer names, and of a user at least one. */
const mostFaults = 10_000

function failedOf(candidates: readonly Candidate[]): ImportResult['failed'] {
  const refused = candidates.filter(({ violations }) => violations.length > 0)
  const each = Math.floor(mostFaults / refused.length)
  return refused.map(({ index, violations }) => ({ index, violations: violations.slice(0, each) }))
}

export const toCandidates = (users: readonly unknown[]): Candidate[] => users.map(toCandidate)

function toCandidate(input: unknown, index: number): Candidate {
  const violations: RuledViolation[] = []
  const user = parsePart('body', ImportedUser, { input, violations })
  const { passwordHash, roles = [] } = user ?? soundFields(ImportedUser, input)
  const fault = passwordHash === undefined ? null : importFault(passwordHash)
  if (fault !== null) {
    violations.push({ field: 'passwordHash', message: fault, rule: 'unsupported_hash' })
  }
  return { index, user, roles, violations }
}

async function addRoleFaults(
  pool: Pool,
  tenant: TenantName,
  candidates: readonly Candidate[],
): Promise<void> {
  const names = new Set(candidates.flatMap(({ roles }) => roles))
  const known = names.size === 0 ? names : await knownRoles(pool, tenant, [...names])
  for (const { roles, violations } of candidates) violations.push(...roleFaults(roles, known))
}

/** If an address occurs twice, the first user counts. */
function addRepeats(candidates: readonly Candidate[]): void {
  const seen = new Set<string>()
  for (const { user, violations } of candidates) {
    if (user === undefined || violations.length > 0) continue
    if (seen.has(user.email)) {
      const message = 'stands twice in this import'
      violations.push({ field: 'email', message, rule: 'repeated' })
    }
    seen.add(user.email)
  }
}
