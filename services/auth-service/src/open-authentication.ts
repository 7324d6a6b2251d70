import { createSecretBox } from '@surehook/service-kit/crypto/secret-box'
import { openExpiryDeletion } from '@surehook/service-kit/postgres/delete-expired'
import type { Router } from 'express'
import type { Pool } from 'pg'
import { expiredCodes } from './accounts/delete-expired-codes.ts'
import { expiredSignups } from './accounts/signup/delete-expired-signups.ts'
import { createChatTransport } from './alerts/chat-transport.ts'
import { auditedApi } from './api/audited-api.ts'
import { createAuthApi } from './api/create-auth-api.ts'
import { createGraphQL } from './api/graphql/graphql-endpoint.ts'
import { createCallerOf, createOpenCall, lineOf } from './api/open-call.ts'
import { authRoutes } from './api/rest/auth-routes.ts'
import { serviceRoutes } from './api/rest/service-routes.ts'
import type { Config } from './config.ts'
import { consoleRoutes } from './console/console-routes.ts'
import { discoveryRoutes } from './discovery/discovery-routes.ts'
import { endedKeys } from './keys/delete-expired-keys.ts'
import { readJwks } from './keys/jwks.ts'
import { keyRoutes } from './keys/key-routes.ts'
import { createPrepareKeys } from './keys/prepare-keys.ts'
import { createKeyReEncryption } from './keys/re-encrypt-keys.ts'
import { reEncryptRoutes } from './keys/re-encrypt-routes.ts'
import { unseenClients } from './limits/known-clients.ts'
import { createNotices } from './mail/notices.ts'
import { openAccounts } from './open-accounts.ts'
import { openOutbound } from './outbound/guarded-https.ts'
import { adminRoutes } from './platform/admin-routes.ts'
import { adminGates, createIdentifyCaller } from './platform/admin-token.ts'
import type { ReadChangesEnd } from './platform/changes-end.ts'
import { findManagementToken } from './platform/management-tokens.ts'
import { createFindTenant, createResolveTenant } from './platform/tenant.ts'
import { sessionDeletions } from './sessions/delete-expired-sessions.ts'
import { openSessions, type SessionPartsOptions } from './sessions/open-sessions.ts'
import { userRoutes } from './users/user-routes.ts'

export type Authentication = AsyncDisposable & { readonly routes: (router: Router) => void }

type Infrastructure = Pick<
  SessionPartsOptions,
  'pool' | 'redis' | 'writer' | 'producer' | 'relay' | 'metrics' | 'log'
> & { background: Pool; changesEnd: ReadChangesEnd }

/** Opens sessions, accounts and their routes on the resources of the process. */
export async function openAuthentication(
  config: Config,
  infrastructure: Infrastructure,
): Promise<Authentication> {
  await using opening = new AsyncDisposableStack()
  const { pool, background, redis, writer, log } = infrastructure
  const identifyCaller = createIdentifyCaller(config.adminTokens, (hash) =>
    findManagementToken(pool, hash),
  )
  const gates = adminGates(identifyCaller, config.adminTokens)
  const { authorize } = gates
  const box = createSecretBox(...config.encryptionKeys)
  const outbound = opening.use(openOutbound(config.outbound))
  const settings = { box, guard: outbound.guard, publicUrl: config.publicUrl }
  const chats = createChatTransport(outbound)
  const notices = createNotices({ pool, box, log })
  const parts = { ...config, ...infrastructure, box, notices, chats, https: outbound }
  const { keys, accessTokens, sessions } = opening.use(openSessions(parts))
  const callerOf = createCallerOf(accessTokens)
  const { accounts, selfService, users, assertCapacity } = opening.use(
    await openAccounts({ ...parts, sessions, callerOf }),
  )
  opening.use(
    openExpiryDeletion({
      pool: background,
      jobs: [...sessionDeletions(), expiredCodes, expiredSignups(log), endedKeys, unseenClients],
      log,
    }),
  )

  const resolveTenant = createResolveTenant(pool)
  const jwks = (tenant: Parameters<typeof readJwks>[1]) => readJwks(keys, tenant)
  const useCases = createAuthApi({ accounts, selfService, sessions, callerOf, jwks })
  const api = auditedApi(useCases, { pool, log, encryptionKeys: config.encryptionKeys })
  const onEnvironment = createPrepareKeys({ keys, log })
  const reEncryptPage = createKeyReEncryption(pool, config.encryptionKeys)
  const routeGroups = [
    adminRoutes({ ...infrastructure, ...gates, onEnvironment, settings }),
    keyRoutes({ pool, writer, keys, authorize }),
    userRoutes({ pool, users, authorize }),
    authRoutes({
      api,
      openCall: createOpenCall(resolveTenant),
      assertCapacity: (context) => assertCapacity(lineOf(context)),
      graphql: createGraphQL(api),
    }),
    discoveryRoutes({ findTenant: createFindTenant(pool), jwks, publicUrl: config.publicUrl }),
    serviceRoutes({ ...parts, resolveTenant, accessTokens }),
    consoleRoutes({ pool, redis, identifyCaller }),
    reEncryptRoutes({ authorize, reEncryptPage }),
  ]
  const resources = opening.move()
  return {
    routes(router) {
      for (const addTo of routeGroups) addTo(router)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
