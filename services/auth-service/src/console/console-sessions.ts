import { requireTenant } from '@surehook/access/management-token'
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

export type Place = { project?: string | undefined; environment?: string | undefined }

export type ConsoleSessions = {
  /** Creates a code for the token of the call. */
  offer(caller: Caller, token: string, place: Place): Promise<ConsoleCode>
  /** Resolves with `null` unless the code, its token and its environment are valid. */
  redeem(code: string): Promise<ConsoleSession | null>
}

type Deps = { pool: Pool; identifyCaller: IdentifyCaller; codes: ConsoleCodes }

export function createConsoleSessions({ pool, identifyCaller, codes }: Deps): ConsoleSessions {
  /** Throws unless the token may act in the session's place. */
  const assertStanding = async (caller: Caller, { project, environment }: ConsoleSession) => {
    if (caller === null || project === null || environment === null) return
    requireTenant(caller, { projectId: project, environment })
    await requireEnvironment(pool, { project, environment })
  }
  return {
    async offer(caller, token, place) {
      const faults = placeFaults(caller, place)
      if (faults.length > 0) throw invalid(faults)
      const session = sessionFor(caller, token, place)
      await assertStanding(caller, session)
      return codes.create(session)
    },
    async redeem(code) {
      const session = await codes.take(code)
      if (session === null) return null
      try {
        // The token may have been revoked, and the environment deleted, since the code was made.
        await assertStanding(await identifyCaller(`Bearer ${session.token}`), session)
        return session
      } catch (err) {
        if (err instanceof AppError && ended.has(err.code)) return null
        throw err
      }
    },
  }
}

const ended: ReadonlySet<ErrorCode> = new Set([
  'ADMIN_TOKEN_INVALID',
  'MANAGEMENT_TOKEN_INVALID',
  'FORBIDDEN',
  'ENVIRONMENT_NOT_FOUND',
])

/** Faults that depend on the credential. */
export function placeFaults(caller: Caller, place: Place): RuledViolation[] {
  if (caller !== null) {
    const isMissing = place.project === undefined
    return isMissing ? [{ field: 'project', message: 'is required', rule: 'required' }] : []
  }
  const message = 'must be absent: the administration token is for no single project'
  return (['project', 'environment'] as const)
    .filter((field) => place[field] !== undefined)
    .map((field) => ({ field, message, rule: 'unrecognized' }))
}

function sessionFor(caller: Caller, token: string, place: Place): ConsoleSession {
  if (caller === null) return { kind: 'operator', project: null, environment: null, token }
  const { project = null, environment = 'master' } = place
  return { kind: 'developer', project, environment, token }
}
