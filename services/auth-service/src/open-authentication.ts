import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { openSweep } from '@surehook/service-kit/postgres/sweep'
import type { Router } from 'express'
import { openAccounts } from './accounts/open-accounts.ts'
import { expiredCodes } from './accounts/sweep-codes.ts'
import { expiredSignups } from './accounts/sweep-signups.ts'
import { auditedApi } from './api/audited-api.ts'
import { createAuthApi } from './api/auth-api.ts'
import { createLineOf, createOpenCall } from './api/open-call.ts'
import type { Config } from './config.ts'
import { createGraphQL } from './graphql/graphql-endpoint.ts'
import { introspectionRoute } from './introspection/introspection-route.ts'
import { adminRoutes } from './platform/admin-routes.ts'
import { createResealKeys } from './reseal/reseal-keys.ts'
import { resealRoutes } from './reseal/reseal-routes.ts'
import { authRoutes } from './rest/auth-routes.ts'
import { openSessions, type SessionPartsOptions } from './sessions/open-sessions.ts'
import { sessionSweeps } from './sessions/sweep-sessions.ts'
import { createResolveTenant } from './tenant/tenant.ts'
import { readJwks } from './tokens/jwks.ts'
import { keyRoutes } from './tokens/key-routes.ts'
import { createPrepareKeys } from './tokens/prepare-keys.ts'
import { endedKeys } from './tokens/sweep-keys.ts'
import { userRoutes } from './users/user-routes.ts'

export type Authentication = AsyncDisposable & { readonly routes: (router: Router) => void }

type Infrastructure = Pick<
  SessionPartsOptions,
  'pool' | 'redis' | 'writer' | 'producer' | 'relay' | 'metrics' | 'log'
>

/** Sessions, accounts and the doors to them, on what the process has opened. */
export async function openAuthentication(
  config: Config,
  infrastructure: Infrastructure,
): Promise<Authentication> {
  await using opening = new AsyncDisposableStack()
  const { pool, writer, log } = infrastructure
  const { adminTokens, serviceTokens } = config
  const parts = { ...config, ...infrastructure, box: createSecretBox(...config.encryptionKeys) }
  const { keys, accessTokens, sessions } = opening.use(openSessions(parts))
  const { accounts, users, demandRoom } = opening.use(await openAccounts({ ...parts, sessions }))
  opening.use(
    openSweep({
      pool,
      jobs: [...sessionSweeps(), expiredCodes, expiredSignups(log), endedKeys],
      log,
    }),
  )

  const resolveTenant = createResolveTenant(pool)
  const openCall = createOpenCall(resolveTenant, config.trustedProxies)
  const lineOf = createLineOf(config.trustedProxies)
  const jwks = (tenant: Parameters<typeof readJwks>[1]) => readJwks(keys, tenant)
  const useCases = createAuthApi({ accounts, sessions, accessTokens, jwks })
  const api = auditedApi(useCases, { pool, log, encryptionKeys: config.encryptionKeys })
  const doors = [
    adminRoutes({ pool, writer, adminTokens, onEnvironment: createPrepareKeys({ keys, log }) }),
    keyRoutes({ pool, writer, keys, adminTokens }),
    userRoutes({ pool, users, adminTokens }),
    authRoutes({
      api,
      openCall,
      demandRoom: (context) => demandRoom(lineOf(context)),
      graphql: createGraphQL(api),
    }),
    introspectionRoute({ resolveTenant, accessTokens, serviceTokens }),
    resealRoutes({ adminTokens, resealPage: createResealKeys(pool, config.encryptionKeys) }),
  ]
  const resources = opening.move()
  return {
    routes(router) {
      for (const addTo of doors) addTo(router)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
