import * as z from 'zod'
import { defineOperation } from '../operation.ts'
import { environmentPath } from './admin/admin.ts'
import { PublishedKey } from './auth.ts'

/** The members that RFC 8414, section 2, or OpenID Connect Discovery 1.0, section 3, requires. */
export const IssuerMetadata = z
  .object({
    issuer: z.url().describe('`iss` of the access tokens'),
    jwks_uri: z.url().describe('The URL of the public keys'),
    response_types_supported: z
      .array(z.string())
      .describe('None: users log in with `POST /auth/login`, not at an authorization endpoint'),
    grant_types_supported: z.array(z.string()).describe('None, for the same reason'),
    subject_types_supported: z
      .array(z.string())
      .describe('`public`: a user has the same `sub` for everybody'),
    id_token_signing_alg_values_supported: z
      .array(z.string())
      .describe('The algorithm of every token of the issuer'),
  })
  .meta({ id: 'IssuerMetadata' })
export type IssuerMetadata = z.infer<typeof IssuerMetadata>

/** Verifiers know only the issuer's URL, so its path names the tenant, and headers do not. */
const byIssuer = {
  tag: 'sessions',
  security: 'none',
  method: 'get',
  params: environmentPath,
  errors: ['VALIDATION_ERROR', 'AUTH_NOT_CONFIGURED', 'SERVICE_UNAVAILABLE'],
} as const
const metadata = { status: 200, schema: IssuerMetadata } as const

export const getIssuerJwks = defineOperation({
  ...byIssuer,
  id: 'getIssuerJwks',
  path: '/auth/{project}/{environment}/.well-known/jwks.json',
  summary: 'Get the public keys of an issuer',
  description:
    'Returns the JSON Web Key Set of the environment that the path names. You may cache it for ' +
    '5 minutes.',
  reply: { status: 200, schema: z.object({ keys: z.array(PublishedKey) }) },
})

export const getOpenIdConfiguration = defineOperation({
  ...byIssuer,
  id: 'getOpenIdConfiguration',
  path: '/auth/{project}/{environment}/.well-known/openid-configuration',
  summary: 'Get the OpenID configuration of an issuer',
  description:
    'Returns what a library needs to verify access tokens when it knows only their `iss`. You ' +
    'may cache it for 5 minutes.',
  reply: metadata,
})

export const getIssuerMetadata = defineOperation({
  ...byIssuer,
  id: 'getIssuerMetadata',
  path: '/auth/{project}/{environment}/.well-known/oauth-authorization-server',
  summary: 'Get the metadata of an issuer',
  description: 'Returns the same as the OpenID configuration, for libraries of OAuth.',
  reply: metadata,
})

export const getAuthorizationServerMetadata = defineOperation({
  ...byIssuer,
  id: 'getAuthorizationServerMetadata',
  path: '/.well-known/oauth-authorization-server/auth/{project}/{environment}',
  summary: 'Get the metadata of an issuer, in the place of RFC 8414',
  description:
    'Returns the same as the OpenID configuration. RFC 8414 puts the path of the issuer behind ' +
    'the well-known name.',
  reply: metadata,
})
