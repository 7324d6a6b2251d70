import type { IssuerMetadata } from '@surehook/contracts/http/discovery'
import { keyAlgorithms } from '../keys/key-pair.ts'
import type { TenantName } from '../platform/tenant.ts'

/** `iss` of the tenant's access tokens. Verifiers find its keys below this URL. */
export const issuerOf = (publicUrl: string, { projectId, environment }: TenantName): string =>
  `${publicUrl}/auth/${projectId}/${environment}`

/**
 * Both empty lists must be present. RFC 8414, section 2, requires the first. Without the second,
 * readers assume two default grants. Introspection is absent: it takes the tenant from headers,
 * which RFC 7662 does not know.
 */
export const metadataOf = (issuer: string): IssuerMetadata => ({
  issuer,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  response_types_supported: [],
  grant_types_supported: [],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [keyAlgorithms.sig],
})
