import type { changePassword } from '@surehook/contracts/http/account'
import { invalid } from '@surehook/service-kit/errors'
import { maxTries } from '../accounts/login.ts'
import { invalidCredentials } from '../accounts/try-password.ts'
import { clientLine } from '../limits/client-line.ts'
import type { Notices } from '../mail/notices.ts'
import { type PasswordRules, passwordFaults } from '../password/password-rules.ts'
import type { Passwords } from '../password/passwords.ts'
import type { EndedSessions } from '../revocation/revocation.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { InputOf } from '../use-cases/auth-api.ts'
import type { Caller, Client } from '../use-cases/call.ts'
import type { User } from '../user.ts'
import { replacePassword } from '../users/user-store.ts'
import { callerIsGone, findCaller } from './find-caller.ts'
import { type RepeatChangeDeps, repeatChange } from './repeat-change.ts'

type PasswordChange = InputOf<typeof changePassword>

export type ChangePasswordDeps = RepeatChangeDeps & {
  rules: PasswordRules
  passwords: Pick<Passwords, 'hash' | 'assertCapacity'>
  sessions: Pick<Sessions, 'endOthers' | 'blacklist'>
  notices: Pick<Notices, 'passwordChanged'>
}

/**
 * Ends every session but the caller's. Resolves when every verifier can know.
 *
 * The old password is checked like a login: in the same queue, with the same limit per client and
 * the same lockout. So the thief of an access token cannot guess passwords here any faster.
 */
export function createChangePassword(deps: ChangePasswordDeps) {
  const { pool, limits, passwords, tryPassword, sessions } = deps

  const attemptChange = async (
    caller: Caller,
    { oldPassword, newPassword }: PasswordChange,
    client: Client,
  ): Promise<EndedSessions | null> => {
    const { tenant } = caller
    for (let tries = 1; tries <= maxTries; tries++) {
      const user = await findCaller(pool, caller)
      const attempt = { tenant, email: user.email, client }
      assertNoFault(passwordFaults(newPasswordOf(user, newPassword), tenant.settings.password))
      if ((await tryPassword(attempt, user, oldPassword)) === null) break
      const passwordHash = await hashChosen(deps, attempt, { user, newPassword })
      const ended = await replace(deps, caller, { user, passwordHash })
      if (ended !== null) return ended
    }
    return null
  }

  return async (caller: Caller, change: PasswordChange, client: Client): Promise<void> => {
    passwords.assertCapacity(clientLine(caller.tenant, client))
    const changed = await limits.admit('login', caller.tenant, {
      subject: client.address,
      work: () => attemptChange(caller, change, client),
    })
    const ended = changed ?? (await repeatChange(deps, caller, { ...change, client }))
    if (ended === null) throw invalidCredentials()
    await sessions.blacklist(ended)
  }
}

function newPasswordOf({ email, firstName, lastName }: User, password: string) {
  return { field: 'newPassword', password, email, names: [firstName, lastName] } as const
}

function assertNoFault(faults: ReturnType<typeof passwordFaults>): void {
  if (faults.length > 0) throw invalid(faults)
}

/**
 * Runs after the old password was checked: the score, the breach check and the hash are expensive.
 */
async function hashChosen(
  { rules, passwords }: ChangePasswordDeps,
  { tenant, client }: Pick<Caller, 'tenant'> & { client: Client },
  { user, newPassword }: { user: User; newPassword: string },
): Promise<string> {
  const line = clientLine(tenant, client)
  const given = newPasswordOf(user, newPassword)
  assertNoFault(await rules.faults(given, tenant.settings.password, line))
  return passwords.hash(newPassword, line)
}

/**
 * Stores the new password, ends the other sessions, and queues the message to the verifiers and the
 * notice, in one transaction. `null` if the old password has changed since the check.
 */
function replace(
  { writer, sessions, notices }: ChangePasswordDeps,
  { tenant, claims }: Caller,
  { user, passwordHash }: { user: User; passwordHash: string },
): Promise<EndedSessions | null> {
  const { projectId, environment } = tenant
  return writer.write(async (tx, emit) => {
    if (!(await replacePassword(tx, user, passwordHash))) return null
    const at = { projectId, environment, userId: user.id, sid: claims.sid }
    const ended = await sessions.endOthers(tx, emit, at)
    if (ended === null) throw callerIsGone()
    await notices.passwordChanged(tx, tenant, user.email)
    return ended
  })
}
