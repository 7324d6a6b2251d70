import type { Audit } from '@surehook/access/audit/audit'
import type { AccessClaims } from '@surehook/token-verifier'
import type { Tenant } from '../platform/tenant.ts'
import type { ChangeOrigin } from '../users/user-changes.ts'

/** The client that rate limits count. `countedClient` gives the address. */
export type Client = { readonly address: string }

/** The tenant, the client and the headers of a request; the same for REST and GraphQL. */
export type Call = {
  tenant: Tenant
  client: Client
  origin: ChangeOrigin
  authorization: string | undefined
  acceptLanguage: string | undefined
  audit: Audit
  /**
   * Call it with the user of a valid access token. The audit trail then names this user even if the
   * call fails later.
   */
  identify: (userId: string) => void
}

/** The user and the session of the access token. */
export type Caller = { tenant: Tenant; claims: Pick<AccessClaims, 'sub' | 'sid'> }

/** Checks the access token of the call. Rejects like `AccessTokens.authenticate`. */
export type CallerOf = (call: Call) => Promise<Caller>
