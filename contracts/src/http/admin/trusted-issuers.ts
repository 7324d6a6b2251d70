import * as z from 'zod'
import { ruled } from '../../violation-rules.ts'
import { httpsUrlFault } from '../https-url.ts'
import { isPlainText } from '../text.ts'

export const mostIssuers = 5
const maxAudiences = 10

const plainText = z
  .string()
  .min(1)
  .max(255)
  .refine(isPlainText, ruled('must have no control characters', 'invalid_text'))

/** RFC 8414 §2: an https URL without query and fragment. */
const issuer = z
  .string()
  .superRefine((text, ctx) => {
    const fault = httpsUrlFault(text) ?? (text.includes('?') ? 'must not have a query' : null)
    if (fault === null) return
    ctx.addIssue({ code: 'custom', message: fault, params: { rule: 'invalid_format' } })
  })
  .describe('As `iss` of its tokens has it. One slash at the end does not count')

const audiences = z.array(plainText).min(1).max(maxAudiences)
const rolesClaim = plainText.describe(
  'The claim with the roles. Dots lead into objects, unless a claim has the whole name',
)
const userIdClaim = plainText.describe('The claim with the id of the user')

/** An OpenID provider whose access tokens the environment accepts. */
export const TrustedIssuer = z
  .object({
    issuer,
    audience: audiences.describe('The token must be for one of them'),
    rolesClaim,
    userIdClaim,
  })
  .meta({ id: 'TrustedIssuer' })
export type TrustedIssuer = z.infer<typeof TrustedIssuer>

export const TrustedIssuerInput = z
  .strictObject({
    issuer,
    audience: z
      .union([plainText, audiences])
      .describe('The token must be for it, or for one of the list'),
    rolesClaim: rolesClaim.nullable().optional().describe('Absent: `roles`'),
    userIdClaim: userIdClaim.nullable().optional().describe('Absent: `sub`'),
  })
  .meta({ id: 'TrustedIssuerInput' })
export type TrustedIssuerInput = z.infer<typeof TrustedIssuerInput>

/** One slash at the end does not count: people often leave it out, and some issuers have it. */
export const bareIssuer = (url: string): string => (url.endsWith('/') ? url.slice(0, -1) : url)

export const TrustedIssuersInput = z
  .array(TrustedIssuerInput)
  .max(mostIssuers)
  .refine(
    (issuers) => new Set(issuers.map((one) => bareIssuer(one.issuer))).size === issuers.length,
    ruled('each issuer once', 'repeated'),
  )
  .describe('OpenID providers whose access tokens are accepted. Replaces the whole list')

/** Returns the setting with its defaults, as answers show it. */
export const trustedIssuer = (input: TrustedIssuerInput): TrustedIssuer => ({
  issuer: input.issuer,
  audience: typeof input.audience === 'string' ? [input.audience] : input.audience,
  rolesClaim: input.rolesClaim ?? 'roles',
  userIdClaim: input.userIdClaim ?? 'sub',
})
