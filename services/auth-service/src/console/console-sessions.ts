import { tokenDigest } from '@surehook/access/admin-gate'
import { requireTenant } from '@surehook/access/management-token'
import { newOperatorSession } from '@surehook/access/operator-session'
import type { ManagementTokenState } from '@surehook/contracts/events'
import type { ConsoleCode, ConsoleSession } from '@surehook/contracts/http/admin/console-codes'
import type { ErrorCode, RuledViolation } from '@surehook/contracts/problem'
import { AppError, invalid } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import type { IdentifyCaller } from '../platform/admin-token.ts'
import { requireEnvironment } from '../platform/environments.ts'
import type { ConsoleCodes } from './console-codes.ts'

/** The management token of a call. `null`: the call has the administration token. */
export type Caller = ManagementTokenState | null

export type SessionScope = { project?: string | undefined; environment?: string | undefined }

export type ConsoleSessions = {
  /** Creates a code for the token of the call. */
  offer(caller: Caller, token: string, scope: SessionScope): Promise<ConsoleCode>
  /** Resolves with `null` unless the code, its token and its environment are valid. */
  redeem(code: string): Promise<ConsoleSession | null>
}

type Deps = { pool: Pool; identifyCaller: IdentifyCaller; codes: ConsoleCodes }

export function createConsoleSessions({ pool, identifyCaller, codes }: Deps): ConsoleSessions {
  /** Throws unless the token may act in the session's project and environment. */
  const assertValid = async (caller: Caller, { project, environment }: ConsoleSession) => {
    if (caller === null || project === null || environment === null) return
    requireTenant(caller, { projectId: project, environment })
    await requireEnvironment(pool, { project, environment })
  }
  return {
    async offer(caller, token, scope) {
      const faults = scopeFaults(caller, scope)
      if (faults.length > 0) throw invalid(faults)
      const session = sessionFor(caller, token, scope)
      await assertValid(caller, session)
      return codes.create(session)
    },
    async redeem(code) {
      const session = await codes.take(code)
      if (session === null) return null
      try {
        // The token may have been revoked, and the environment deleted, since the code was made.
        await assertValid(await identifyCaller(`Bearer ${session.token}`), session)
        return session.kind === 'operator' ? readingSession(session) : session
      } catch (err) {
        if (err instanceof AppError && ended.has(err.code)) return null
        throw err
      }
    },
  }
}

/** The administration token stays with the command that made the code. */
function readingSession(session: ConsoleSession): ConsoleSession {
  const { token } = session
  return { ...session, token: newOperatorSession(token, tokenDigest(token), Date.now()) }
}

const ended: ReadonlySet<ErrorCode> = new Set([
  'ADMIN_TOKEN_INVALID',
  'MANAGEMENT_TOKEN_INVALID',
  'FORBIDDEN',
  'ENVIRONMENT_NOT_FOUND',
])

/** Faults that depend on the credential. */
export function scopeFaults(caller: Caller, scope: SessionScope): RuledViolation[] {
  if (caller !== null) {
    const isMissing = scope.project === undefined
    return isMissing ? [{ field: 'project', message: 'is required', rule: 'required' }] : []
  }
  const message = 'must be absent: the administration token is for no single project'
  return (['project', 'environment'] as const)
    .filter((field) => scope[field] !== undefined)
    .map((field) => ({ field, message, rule: 'unrecognized' }))
}

function sessionFor(caller: Caller, token: string, scope: SessionScope): ConsoleSession {
  if (caller === null) return { kind: 'operator', project: null, environment: null, token }
  const { project = null, environment = 'master' } = scope
  return { kind: 'developer', project, environment, token }
}
