import { createHmac, hkdfSync } from 'node:crypto'
import type { AuditActor, AuditEntry } from '@surehook/access/audit/audit'
import type { AuditEvent } from '@surehook/access/audit/audit-events'
import type { ErrorCode } from '@surehook/contracts/problem'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import { toAppError } from '@surehook/service-kit/http/problem'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Pool } from 'pg'
import { LockingFailure } from '../accounts/try-password.ts'
import type { Tenant } from '../platform/tenant.ts'
import type { AuthApi } from '../use-cases/auth-api.ts'
import type { Call } from '../use-cases/call.ts'
import { findUserByEmail } from '../users/user-store.ts'

export type AuditedApiDeps = { pool: Pool; encryptionKeys: EncryptionKeys; log: Logger }

type Events = { done: AuditEvent; refused: AuditEvent }
type Subject = Pick<AuditEntry, 'userId' | 'emailHash'>
type UseCase<Body, Result> = (body: Body, call: Call) => Promise<Result>
type NameOf = (tenant: Tenant, email: string | undefined, reason?: ErrorCode) => Promise<Subject>

/** Writes one audit line for every use case of users, over REST and GraphQL. */
export function auditedApi(api: AuthApi, deps: AuditedApiDeps): AuthApi {
  const nameOf = createNameOf(deps)
  const audited = <Body, Result>(events: Events, useCase: UseCase<Body, Result>) =>
    auditedUseCase({ events, useCase, nameOf })
  return {
    ...api,
    signup: audited({ done: 'user_created', refused: 'user_created_fail' }, api.signup),
    confirmSignup: audited(
      { done: 'user_verified', refused: 'user_verified_fail' },
      api.confirmSignup,
    ),
    resendCode: audited(
      { done: 'user_verification_request', refused: 'user_verification_request_fail' },
      api.resendCode,
    ),
    login: audited({ done: 'authn_login_success', refused: 'authn_login_fail' }, api.login),
    recoverPassword: audited(
      { done: 'authn_password_reset_request', refused: 'authn_password_reset_request_fail' },
      api.recoverPassword,
    ),
    resetPassword: audited(
      { done: 'authn_password_change', refused: 'authn_password_change_fail' },
      api.resetPassword,
    ),
    logout: audited({ done: 'authn_logout', refused: 'authn_logout_fail' }, api.logout),
    updateMe: audited({ done: 'user_updated', refused: 'user_updated_fail' }, api.updateMe),
    changePassword: audited(
      { done: 'authn_password_change', refused: 'authn_password_change_fail' },
      api.changePassword,
    ),
    endSession: audited(
      { done: 'authn_token_revoked', refused: 'authn_token_revoked_fail' },
      api.endSession,
    ),
  }
}

type AuditedUseCase<Body, Result> = {
  events: Events
  useCase: UseCase<Body, Result>
  nameOf: NameOf
}

function auditedUseCase<Body, Result>({
  events,
  useCase,
  nameOf,
}: AuditedUseCase<Body, Result>): UseCase<Body, Result> {
  return async (body, call) => {
    /** The user of the valid access token. */
    let known: string | undefined
    const identify = (userId: string) => {
      known = userId
    }
    const write = (event: AuditEvent, subject: Subject, reason?: ErrorCode) => {
      const outcome = reason === undefined ? 'success' : 'failure'
      const actor = known === undefined ? actorOf(event) : 'user'
      call.audit({ event, outcome, actor, reason, ...subject })
    }
    try {
      const result = await useCase(body, { ...call, identify })
      const userId = known ?? userIdOf(result)
      write(events.done, userId ? { userId } : await nameOf(call.tenant, emailOf(body)))
      return result
    } catch (err) {
      const { code } = toAppError(err)
      const subject = known ? { userId: known } : await nameOf(call.tenant, emailOf(body), code)
      write(events.refused, subject, code)
      if (err instanceof LockingFailure) write('authn_login_lock', subject, code)
      throw err
    }
  }
}

const byUsers: ReadonlySet<AuditEvent> = new Set([
  'authn_login_success',
  'user_verified',
  'authn_password_change',
  'authn_logout',
])

/** `user` only if the event proves who called; else `anonymous`. */
const actorOf = (event: AuditEvent): AuditActor => (byUsers.has(event) ? 'user' : 'anonymous')

type ResultOfUser = { userId?: string; user?: { id: string } }

function userIdOf(result: unknown): string | undefined {
  const { userId, user } = (result ?? {}) as ResultOfUser
  return userId ?? user?.id
}

const emailOf = (body: unknown): string | undefined =>
  (body as { email?: string } | undefined)?.email

/** A call that was refused for lack of capacity costs no database query. */
const turnedAway: ReadonlySet<ErrorCode | undefined> = new Set([
  'RATE_LIMIT_EXCEEDED',
  'SERVICE_UNAVAILABLE',
])

/**
 * Names a user by id, or by a keyed hash if the address has no account: audit lines hold no
 * address.
 */
function createNameOf({ pool, encryptionKeys, log }: AuditedApiDeps): NameOf {
  const key = Buffer.from(hkdfSync('sha256', encryptionKeys[0], '', 'surehook/auth/audit', 32))
  // A failed look-up must not change the answer: its line then names no user.
  const find = (tenant: Tenant, email: string) =>
    findUserByEmail(pool, tenant, email).catch((err: unknown) => {
      log.warn({ err }, 'audit.user.unknown')
      return null
    })
  return async (tenant, email, reason) => {
    if (email === undefined) return {}
    const { projectId, environment } = tenant
    const user = turnedAway.has(reason) ? null : await find(tenant, email)
    if (user !== null) return { userId: user.id }
    const text = [projectId, environment, email].join('\0')
    return { emailHash: createHmac('sha256', key).update(text).digest('base64url').slice(0, 22) }
  }
}
