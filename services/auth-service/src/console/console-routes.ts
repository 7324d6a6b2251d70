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
import { createRateLimits } from '../limits/rate-limits.ts'
import type { IdentifyCaller } from '../platform/admin-token.ts'
import { createConsoleCodes } from './console-codes.ts'
import { createConsoleSessions, placeFaults } from './console-sessions.ts'

export type ConsoleRoutesDeps = {
  pool: Pool
  redis: RedisClient
  identifyCaller: IdentifyCaller
  trustedProxies: readonly Cidr[]
}

/** Limits of these routes count by client alone. No project has an empty name. */
const platform = { projectId: '', environment: '' }

/** The routes `/auth/console-codes…`, which open the web console signed in. */
export function consoleRoutes(deps: ConsoleRoutesDeps): (router: Router) => void {
  const { pool, redis, identifyCaller, trustedProxies } = deps
  const sessions = createConsoleSessions({ pool, identifyCaller, codes: createConsoleCodes(redis) })
  const limits = createRateLimits(redis)
  return (router) => {
    mount(router, createConsoleCode, {
      async authorize(context) {
        const client = countedClient(context.req, trustedProxies)
        await limits.consume('consoleCode', platform, client)
        const caller = await identifyCaller(context.req.headers.authorization)
        context.actorId = caller?.id
        return caller
      },
      // The schema already reports an invalid `project`, so only the administration token's faults
      // are added. `offer` checks the rest.
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
