import * as z from 'zod'
import { defineOperation } from '../operation.ts'
import { tenantHeaders } from './auth.ts'

/** The public members of a key (RFC 7517, RFC 7518 §6, RFC 8037). */
export const PublicKey = z.object({
  kid: z.string(),
  kty: z.enum(['RSA', 'EC', 'OKP']),
  use: z.string().optional(),
  alg: z.string().optional(),
  n: z.string().optional(),
  e: z.string().optional(),
  crv: z.string().optional(),
  x: z.string().optional(),
  y: z.string().optional(),
})

/**
 * How data-api and webhook-api get the keys of a trusted issuer. auth-service fetches them, so that
 * no service with records of tenants needs a way to the Internet. Below `/internal`, because the
 * gateway forwards no such path.
 */
export const getIssuerKeys = defineOperation({
  id: 'getIssuerKeys',
  method: 'get',
  path: '/internal/issuer-keys',
  tag: 'internal',
  security: 'service',
  summary: 'Get the keys of a trusted issuer',
  description: 'Returns the keys of an issuer that the environment trusts, and none of any other.',
  headers: tenantHeaders,
  query: z.strictObject({ issuer: z.string() }),
  reply: { status: 200, schema: z.object({ keys: z.array(PublicKey) }) },
  errors: ['VALIDATION_ERROR', 'AUTH_TOKEN_INVALID', 'SERVICE_UNAVAILABLE'],
})
