import type { IssuerMetadata } from '@surehook/contracts/http/discovery'
import { keyAlgorithms } from '../keys/key-pair.ts'
import type { TenantName } from '../keys/key-store.ts'

/** `iss` of the tenant's access tokens, which is also where verifiers look for its keys. */
export const issuerOf = (publicUrl: string, { projectId, environment }: TenantName): string =>
  `${publicUrl}/auth/${projectId}/${environment}`

/**
 * Empty lists are said, not left out: readers demand the first, and without the second two grants would be promised
 * (RFC 8414, section 2). Introspection is not named: it takes the tenant from headers, which RFC 7662 does not have.
 */
export const metadataOf = (issuer: string): IssuerMetadata => ({
  issuer,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  response_types_supported: [],
  grant_types_supported: [],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [keyAlgorithms.sig],
})
