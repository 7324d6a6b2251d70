import type { signup } from '@surehook/contracts/http/auth'
import type { RuledViolation } from '@surehook/contracts/problem'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { inTransaction } from '@surehook/service-kit/postgres/pool'
import type { Pool } from 'pg'
import { type ClientLine, clientLine } from '../../limits/client-line.ts'
import { rememberClient } from '../../limits/known-clients.ts'
import type { Lockout } from '../../limits/lockout.ts'
import type { RateLimits } from '../../limits/rate-limits.ts'
import { pickLocale } from '../../mail/pick-locale.ts'
import type { PasswordRules } from '../../password/password-rules.ts'
import type { Passwords } from '../../password/passwords.ts'
import { findSelfAssignableRole } from '../../platform/roles.ts'
import type { Tenant } from '../../platform/tenant.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { AuthApi, InputOf } from '../../use-cases/auth-api.ts'
import type { Call } from '../../use-cases/call.ts'
import { toPublicUser, type User } from '../../user.ts'
import { addPendingSignup, contestSignup } from '../../users/pending-signups.ts'
import { type ChangeOrigin, emitUserChanges } from '../../users/user-changes.ts'
import {
  findCostliestScheme,
  findUserByEmail,
  insertUsers,
  type NewUser,
} from '../../users/user-store.ts'
import { type Codes, invalidCode } from '../codes.ts'
import { confirmAddress } from '../confirm-address.ts'
import { tryCode } from '../try-code.ts'

export type SignupDeps = {
  pool: Pool
  limits: RateLimits
  lockout: Pick<Lockout, 'clear'>
  rules: PasswordRules
  passwords: Pick<Passwords, 'hash' | 'isSame' | 'assertCapacity'>
  codes: Codes
  sessions: Pick<Sessions, 'open'>
  /** Called after a mail was put into the outbox. */
  onMail: () => void
}

type SignupInput = InputOf<typeof signup>

export type Signup = Pick<AuthApi, 'signup' | 'signupFaults' | 'confirmSignup' | 'resendCode'>

export function createSignup(deps: SignupDeps): Signup {
  const { pool, limits, passwords, codes, onMail } = deps
  const refuseTaken = createRefuseTaken(deps)
  return {
    async signup(input, call) {
      const { tenant, client, origin } = call
      const line = clientLine(tenant, client)
      passwords.assertCapacity(line)
      const attempt = { tenant, input, line }
      const { email, firstName, lastName } = input
      const { roles, passwordHash } = await limits.admit('signup', tenant, {
        subject: client.address,
        async work() {
          const { faults, roles: given } = await applyRules(deps, tenant, { given: input, line })
          if (faults.length > 0) throw invalid(faults)
          // Checked before the costly hash. The insert decides.
          if ((await findUserByEmail(pool, tenant, email)) !== null) return refuseTaken(attempt)
          return { roles: given, passwordHash: await passwords.hash(input.password, line) }
        },
      })
      const emailVerified = !tenant.settings.emailVerification
      const user = await createUser(deps, tenant, {
        user: {
          email,
          passwordHash,
          firstName,
          lastName,
          roles,
          emailVerified,
          locale: localeOf(input, call),
        },
        network: line[1],
        origin,
      })
      if (user === null) return refuseTaken(attempt)
      if (!emailVerified) onMail()
      const message = emailVerified
        ? 'You can log in now'
        : 'Confirm your e-mail address with the code that was sent to it'
      return { userId: user.id, message }
    },

    signupFaults: createSignupFaults(deps),

    confirmSignup: createConfirmSignup(deps),

    async resendCode({ email }, { tenant, client }) {
      // The client's limit comes first: a refused client must not use up the limit of the address.
      await limits.consume('resendClient', tenant, client.address)
      await limits.consume('resend', tenant, email)
      const isLong = await limits.areShortCodesUsedUp(tenant, 'verification')
      await codes.send(pool, { tenant, email, purpose: 'verification' }, isLong)
      onMail()
      return { message: 'If the address waits for its confirmation, a new code is on its way' }
    },
  }
}

function createConfirmSignup(deps: SignupDeps): Signup['confirmSignup'] {
  const { pool, codes, sessions } = deps
  return async ({ email, code: text }, { tenant, client, origin }) => {
    const subject = { tenant, email, purpose: 'verification' } as const
    const code = await tryCode(deps, { subject, text, client })
    return inTransaction(pool, async (tx) => {
      const userId = await codes.redeem(tx, subject, code)
      const user = userId === null ? null : await confirmAddress(tx, { tenant, userId, origin })
      if (user === null) throw invalidCode()
      await rememberClient(tx, user, client)
      return { ...(await sessions.open(tx, tenant, user)), user: toPublicUser(user) }
    })
  }
}

/**
 * Returns the language that the signup names. Otherwise it returns the browser's, unless the
 * environment sets one.
 */
function localeOf({ locale }: SignupInput, { tenant, acceptLanguage }: Call) {
  return pickLocale(locale) ?? (tenant.hasMailLocale ? null : pickLocale(acceptLanguage))
}

function createSignupFaults(deps: SignupDeps): Signup['signupFaults'] {
  return async (given, { tenant, client }) => {
    const { breachCheck, minScore } = tenant.settings.password
    const line = clientLine(tenant, client)
    const ask = async () => (await applyRules(deps, tenant, { given, line })).faults
    if (!breachCheck && minScore === 0 && !given.roleId) return ask()
    // The checks cost CPU, a query and a request to the breach service, so they count as signups.
    return deps.limits.admit('signup', tenant, { subject: client.address, work: ask })
  }
}

type RuleResult = { faults: RuledViolation[]; roles: string[] }

/** Checks the given fields against the tenant's rules, and finds the new user's roles. */
async function applyRules(
  { pool, rules }: SignupDeps,
  tenant: Tenant,
  { given, line }: { given: Partial<SignupInput>; line: ClientLine },
): Promise<RuleResult> {
  const { password: settings, defaultRole } = tenant.settings
  const { email, password, roleId, firstName = '', lastName = '' } = given
  const chosen = { field: 'password', email, names: [firstName, lastName] } as const
  const faults =
    password === undefined ? [] : await rules.faults({ ...chosen, password }, settings, line)
  const own = roleId ? await findSelfAssignableRole(pool, tenant, roleId) : null
  if (roleId && own === null) {
    const message = 'is not a role that users may give themselves'
    faults.push({ field: 'roleId', message, rule: 'role_not_assignable' })
  }
  const role = own ?? defaultRole
  return { faults, roles: role === null ? [] : [role] }
}

type TakenAddress = { tenant: Tenant; input: SignupInput; line: ClientLine }

/**
 * Answers that the address is registered. If an account awaits confirmation and was made elsewhere
 * with another password, two people claim the address, and the account becomes contested. Every
 * such answer costs one password check, so that the time is the same.
 */
function createRefuseTaken({ pool, passwords }: SignupDeps) {
  return async ({ tenant, input, line }: TakenAddress): Promise<never> => {
    const user = await findUserByEmail(pool, tenant, input.email)
    const samePassword = await passwords.isSame({
      // The answer must not depend on the password of a confirmed account.
      user: user?.emailVerified === true ? null : user,
      password: input.password,
      costliest: await findCostliestScheme(pool, tenant),
      line,
    })
    if (user !== null) await contestSignup(pool, user, { network: line[1], samePassword })
    throw new AppError('AUTH_EMAIL_EXISTS', 'This e-mail address is registered')
  }
}

type NewAccount = { user: NewUser; network: string; origin: ChangeOrigin }

/**
 * Inserts the user, its event and the mail with its code in one transaction, and ends locks of the
 * address. Returns `null` if another signup inserted the address first.
 */
function createUser(
  { pool, codes, lockout }: SignupDeps,
  tenant: Tenant,
  { user, network, origin }: NewAccount,
): Promise<User | null> {
  return inTransaction(pool, async (tx) => {
    const [created] = await insertUsers(tx, tenant, [user])
    if (created === undefined) return null
    await emitUserChanges(tx, [{ operation: 'INSERT', user: created }], origin)
    if (!created.emailVerified) {
      await addPendingSignup(tx, created, network)
      // The specification gives the code of a signup six digits, whatever others guess.
      await codes.send(tx, { tenant, email: created.email, purpose: 'verification' }, false)
    }
    // Failures from before do not belong to this account. Redis comes last, after everything that
    // can fail except the commit: it cannot be rolled back.
    await lockout.clear(tenant, created.email)
    return created
  })
}
