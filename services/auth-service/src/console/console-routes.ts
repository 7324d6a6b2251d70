import {
  type ConsoleSession,
  createConsoleCode,
  redeemConsoleCode,
} from '@surehook/contracts/http/admin/console-codes'
import { AppError } from '@surehook/service-kit/errors'
import { mount } from '@surehook/service-kit/http/mount'
import type { Cidr } from '@surehook/service-kit/http/request/client-address'
import { countedClient } from '@surehook/service-kit/http/request/counted-client'
import type { RedisClient } from '@surehook/service-kit/redis/client'
import { bearerToken } from '@surehook/token-verifier'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { createRateLimits, type RateLimits } from '../limits/rate-limits.ts'
import type { FindOwner } from '../platform/admin-token.ts'
import { createConsoleCodes } from './console-codes.ts'
import { createConsoleSessions, placeFaults } from './console-sessions.ts'

export type ConsoleRoutesDeps = {
  pool: Pool
  redis: RedisClient
  findOwner: FindOwner
  trustedProxies: readonly Cidr[]
}

/** Limits of these routes count by client alone. No project has an empty name. */
const platform = { projectId: '', environment: '' }

/**
 * Finds the owner and counts the call of the client. Wrong credentials count apart, so that those of
 * others behind the same address keep nobody from a code.
 */
export function countedOwner(findOwner: FindOwner, limits: Pick<RateLimits, 'consume'>) {
  return async (authorization: string | undefined, client: string) => {
    try {
      const owner = await findOwner(authorization)
      await limits.consume('consoleCode', platform, client)
      return owner
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
  const { pool, redis, findOwner, trustedProxies } = deps
  const sessions = createConsoleSessions({ pool, findOwner, codes: createConsoleCodes(redis) })
  const limits = createRateLimits(redis)
  const findCounted = countedOwner(findOwner, limits)
  return (router) => {
    mount(router, createConsoleCode, {
      async authorize(context) {
        const client = countedClient(context.req, trustedProxies)
        const owner = await findCounted(context.req.headers.authorization, client)
        context.actorId = owner?.id
        return owner
      },
      // A project that is not valid is no project here: the schema has named it already.
      ruleFaults: async ({ body }, { auth }) => (auth === null ? placeFaults(auth, body) : []),
      handle: ({ body }, { auth, req }) =>
        sessions.offer(auth, bearerToken(req.headers.authorization) ?? '', body),
    })
    mount(router, redeemConsoleCode, async ({ body }, { req }) => {
      let session = null as ConsoleSession | null
      await limits.guess(platform, countedClient(req, trustedProxies), async () => {
        session = await sessions.redeem(body.code)
        return session !== null
      })
      if (session !== null) return session
      throw new AppError('AUTH_INVALID_CODE', 'The code is wrong, expired or used')
    })
  }
}
