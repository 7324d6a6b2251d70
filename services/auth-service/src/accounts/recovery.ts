import type { StateWriter } from '@surehook/change-capture/emit/state-writer'
import { invalid } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { clientLine } from '../limits/client-line.ts'
import { rememberClient } from '../limits/known-clients.ts'
import type { Lockout } from '../limits/lockout.ts'
import type { RateLimits } from '../limits/rate-limits.ts'
import type { Notices } from '../mail/notices.ts'
import { type PasswordRules, passwordFaults } from '../password/password-rules.ts'
import type { Passwords } from '../password/passwords.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AuthApi } from '../use-cases/auth-api.ts'
import { findUserByEmail, setPassword } from '../users/user-store.ts'
import { type Codes, invalidCode } from './codes.ts'
import { confirmAddress } from './confirm-address.ts'
import { tryCode } from './try-code.ts'

export type RecoveryDeps = {
  pool: Pool
  writer: StateWriter
  limits: RateLimits
  lockout: Pick<Lockout, 'clear'>
  rules: PasswordRules
  passwords: Pick<Passwords, 'hash'>
  codes: Codes
  sessions: Pick<Sessions, 'endAll' | 'blacklist'>
  notices: Pick<Notices, 'passwordChanged'>
  /** A mail waits in the outbox. */
  onMail: () => void
}

export type Recovery = Pick<AuthApi, 'recoverPassword' | 'resetPassword' | 'resetFaults'>

export function createRecovery(deps: RecoveryDeps): Recovery {
  const { pool, writer, limits, lockout, rules, passwords, codes, sessions, onMail } = deps
  return {
    async recoverPassword({ email }, { tenant, client }) {
      // The client's limit comes first: a refused client must not use up the limit of the address.
      await limits.consume('recoverClient', tenant, client.address)
      await limits.consume('recover', tenant, email)
      const isLong = await limits.areShortCodesUsedUp(tenant, 'recovery')
      await codes.send(pool, { tenant, email, purpose: 'recovery' }, isLong)
      onMail()
      return { message: 'If the address is registered, a code is on its way to it' }
    },

    async resetPassword({ email, newPassword, code: text }, { tenant, client, origin }) {
      const given = { field: 'newPassword', password: newPassword, email } as const
      const faults = passwordFaults(given, tenant.settings.password)
      if (faults.length > 0) throw invalid(faults)
      const subject = { tenant, email, purpose: 'recovery' } as const
      // Only a valid code may cause a hash, a strength score or a request to the breach service.
      const code = await tryCode(deps, { subject, text, client })
      const line = clientLine(tenant, client)
      const names = await namesOf(pool, tenant, email)
      const violations = await rules.faults({ ...given, names }, tenant.settings.password, line)
      if (violations.length > 0) throw invalid(violations)
      const passwordHash = await passwords.hash(newPassword, line)
      const { userId, ended } = await writer.write(async (tx, emit) => {
        const id = await codes.redeem(tx, subject, code)
        if (id === null) throw invalidCode()
        await confirmAddress(tx, { tenant, userId: id, origin })
        if (!(await setPassword(tx, tenant, { id, passwordHash }))) throw invalidCode()
        await rememberClient(tx, { id }, client)
        const { projectId, environment } = tenant
        const at = { projectId, environment, userId: id }
        const over = await sessions.endAll(tx, emit, at, 'reset')
        await deps.notices.passwordChanged(tx, tenant, email)
        // Last, so that nothing else can still fail but the commit: the code cannot be used again.
        await lockout.clear(tenant, email)
        return { userId: id, ended: over }
      })
      await sessions.blacklist(ended)
      return { message: 'The password is changed', userId }
    },

    resetFaults: async ({ email, newPassword: password }, { tenant }) =>
      password === undefined
        ? []
        : passwordFaults({ field: 'newPassword', password, email }, tenant.settings.password),
  }
}

async function namesOf(pool: Pool, tenant: Tenant, email: string): Promise<string[]> {
  const user = await findUserByEmail(pool, tenant, email)
  return user === null ? [] : [user.firstName, user.lastName]
}
