import type { Accounts } from '../accounts/accounts.ts'
import type { SelfService } from '../self-service/self-service.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AuthApi } from '../use-cases/auth-api.ts'
import type { CallerOf } from '../use-cases/call.ts'
import { publicSettings } from './public-settings.ts'

export type AuthApiDeps = Pick<AuthApi, 'jwks'> & {
  accounts: Accounts
  selfService: SelfService
  sessions: Pick<Sessions, 'refresh' | 'logout'>
  callerOf: CallerOf
}

export function createAuthApi(deps: AuthApiDeps): AuthApi {
  const { accounts, selfService, sessions, callerOf, jwks } = deps
  return {
    ...accounts,
    ...selfService,
    refreshToken: (input, { tenant, audit }) => sessions.refresh(tenant, input.refreshToken, audit),
    async logout(_, call) {
      const { tenant, claims } = await callerOf(call)
      await sessions.logout(tenant, claims)
      return { message: 'You are logged out', userId: claims.sub }
    },
    jwks,
    settings: ({ settings }) => publicSettings(settings),
  }
}
