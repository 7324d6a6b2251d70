import type { Violation } from '@surehook/contracts/problem'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import { clientLine } from '../limits/client-line.ts'
import type { Lockout } from '../limits/lockout.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { PasswordRules } from '../password/password-rules.ts'
import type { Passwords } from '../password/passwords.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Tenant } from '../tenant/tenant.ts'
import { findSelfAssignableRole } from '../users/roles.ts'
import { toPublicUser, type User } from '../users/user.ts'
import { type ChangeOrigin, emitUserChanges } from '../users/user-changes.ts'
import { findUserByEmail, insertUsers, markVerified, type NewUser } from '../users/user-store.ts'
import type { Accounts, SignupInput } from './accounts.ts'
import { type Codes, invalidCode } from './codes.ts'

export type SignupDeps = {
  pool: Pool
  limits: RateLimits
  lockout: Pick<Lockout, 'clear'>
  rules: PasswordRules
  passwords: Pick<Passwords, 'hash' | 'demandRoom'>
  codes: Codes
  sessions: Pick<Sessions, 'open'>
  /** A mail waits in the outbox. */
  onMail: () => void
}

export function createSignup(
  deps: SignupDeps,
): Pick<Accounts, 'signup' | 'confirmSignup' | 'resendCode'> {
  const { pool, limits, passwords, codes, sessions, onMail } = deps
  return {
    async signup(tenant, input, client, origin) {
      const line = clientLine(tenant, client)
      passwords.demandRoom(line)
      const { email, firstName, lastName } = input
      const { roles, passwordHash } = await limits.admit('signup', tenant, {
        subject: client.address,
        async work() {
          const given = await demandValid(deps, tenant, input)
          // Before the costly part; the insert decides.
          if ((await findUserByEmail(pool, tenant, email)) !== null) throw emailExists()
          return { roles: given, passwordHash: await passwords.hash(input.password, line) }
        },
      })
      const emailVerified = !tenant.settings.emailVerification
      const user = await createUser(deps, tenant, {
        user: { email, passwordHash, firstName, lastName, roles, emailVerified },
        origin,
      })
      if (!emailVerified) onMail()
      const message = emailVerified
        ? 'You can log in now'
        : 'Confirm your e-mail address with the code that was sent to it'
      return { userId: user.id, message }
    },

    async confirmSignup(tenant, { email, code }, client, origin) {
      const subject = { tenant, email, purpose: 'verification' } as const
      const isRight = () => codes.isRight(subject, code)
      if (!(await limits.guess(tenant, client.address, isRight))) throw invalidCode()
      return inTransaction(pool, async (tx) => {
        const userId = await codes.redeem(tx, subject, code)
        const user = userId === null ? null : await markVerified(tx, tenant, userId)
        if (user === null) throw invalidCode()
        const change = { operation: 'UPDATE', user, changedFields: ['emailVerified'] } as const
        await emitUserChanges(tx, [change], origin)
        return { ...(await sessions.open(tx, tenant, user)), user: toPublicUser(user) }
      })
    },

    async resendCode(tenant, { email }, client) {
      // The client first: who is refused uses up nothing of the address.
      await limits.consume('resendClient', tenant, client.address)
      await limits.consume('resend', tenant, email)
      await codes.send(pool, { tenant, email, purpose: 'verification' })
      onMail()
      return { message: 'If the address waits for its confirmation, a new code is on its way' }
    },
  }
}

/** @returns the roles of the new user */
async function demandValid(
  { pool, rules }: SignupDeps,
  tenant: Tenant,
  { email, password, roleId }: SignupInput,
): Promise<string[]> {
  const { password: settings, defaultRole } = tenant.settings
  const violations: Violation[] = await rules.faults(
    { field: 'password', password, email },
    settings,
  )
  const own = roleId === undefined ? null : await findSelfAssignableRole(pool, tenant, roleId)
  if (roleId !== undefined && own === null) {
    violations.push({ field: 'roleId', message: 'is not a role that users may give themselves' })
  }
  if (violations.length > 0) throw invalid(violations)
  const role = own ?? defaultRole
  return role === null ? [] : [role]
}

/** The user, its event and the mail with its code: all of them, or nothing. Ends locks of the address. */
function createUser(
  { pool, codes, lockout }: SignupDeps,
  tenant: Tenant,
  { user, origin }: { user: NewUser; origin: ChangeOrigin },
): Promise<User> {
  return inTransaction(pool, async (tx) => {
    const [created] = await insertUsers(tx, tenant, [user])
    if (created === undefined) throw emailExists()
    await emitUserChanges(tx, [{ operation: 'INSERT', user: created }], origin)
    if (!created.emailVerified) {
      await codes.send(tx, { tenant, email: created.email, purpose: 'verification' })
    }
    // Failures from before are not this account's. Last, so that nothing else can still fail but the commit.
    await lockout.clear(tenant, created.email)
    return created
  })
}

const emailExists = () => new AppError('AUTH_EMAIL_EXISTS', 'This e-mail address is registered')
