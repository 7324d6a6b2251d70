import {
  type ConsoleSession,
  createConsoleCode,
  redeemConsoleCode,
} from '@surehook/contracts/http/admin/console-codes'
import { AppError } from '@surehook/service-kit/errors'
import { mount } from '@surehook/service-kit/http/mount'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { bearerToken } from '@surehook/token-verifier'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { createRateLimits, type RateLimits } from '../limits/rate-limits.ts'
import type { IdentifyCaller } from '../platform/admin-token.ts'
import { createConsoleCodes } from './console-codes.ts'
import { createConsoleSessions, scopeFaults } from './console-sessions.ts'

export type ConsoleRoutesDeps = {
  pool: Pool
  redis: RedisClient
  identifyCaller: IdentifyCaller
}

/** Limits of these routes count by client alone. No project has an empty name. */
const platform = { projectId: '', environment: '', createdAt: '' }

/**
 * Identifies the caller and counts the call. Wrong credentials have a count of their own, so that
 * they cannot use up the calls of other people behind the same address.
 */
export function countedCaller(identify: IdentifyCaller, limits: Pick<RateLimits, 'consume'>) {
  return async (authorization: string | undefined, client: string) => {
    try {
      const caller = await identify(authorization)
      await limits.consume('consoleCode', platform, client)
      return caller
    } catch (err) {
      if (err instanceof AppError && err.status === 401) {
        await limits.consume('consoleCredential', platform, client)
      }
      throw err
    }
  }
}

/** The routes `/auth/console-codes…`, which open the web console signed in. */
export function consoleRoutes(deps: ConsoleRoutesDeps): (router: Router) => void {
  const { pool, redis, identifyCaller } = deps
  const sessions = createConsoleSessions({ pool, identifyCaller, codes: createConsoleCodes(redis) })
  const limits = createRateLimits(redis)
  const identifyCounted = countedCaller(identifyCaller, limits)
  return (router) => {
    mount(router, createConsoleCode, {
      async authorize(context) {
        const { req, countedClient } = context
        const caller = await identifyCounted(req.headers.authorization, countedClient)
        context.actorId = caller?.id
        return caller
      },
      // The schema already reports an invalid `project`, so only the administration token's faults
      // are added. `offer` checks the rest.
      ruleFaults: async ({ body }, { auth }) => (auth === null ? scopeFaults(auth, body) : []),
      handle: ({ body }, { auth, req }) =>
        sessions.offer(auth, bearerToken(req.headers.authorization) ?? '', body),
    })
    mount(router, redeemConsoleCode, async ({ body }, { countedClient }) => {
      let session = null as ConsoleSession | null
      await limits.guess(platform, { client: countedClient, shortCode: null }, async () => {
        session = await sessions.redeem(body.code)
        return session !== null
      })
      if (session !== null) return session
      throw new AppError('AUTH_INVALID_CODE', 'The code is wrong, expired or used')
    })
  }
}
