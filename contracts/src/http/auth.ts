import * as z from 'zod'
import { defineOperation } from '../operation.ts'
import { EnvironmentName, ProjectId } from '../tenant-names.ts'
import { ruled } from '../violation-rules.ts'
import { emailAddress } from './email-address.ts'
import { GraphQLRequest, GraphQLResult, graphqlMediaTypes } from './graphql.ts'
import { isPlainText } from './text.ts'

// oxlint-disable-next-line no-control-regex -- all of ASCII is the point
const ascii = /^[\u0000-\u007f]*$/

const wellFormed = (text: string) => text.isWellFormed() && !text.includes('\0')

/** Trimmed and in lower case, so that two spellings of one address are one account. */
export const Email = z
  .string()
  .trim()
  // `toLowerCase` turns some non-ASCII letters into ASCII ones (the Kelvin sign becomes `k`). They
  // stay as they are and are refused.
  .overwrite((text) => (ascii.test(text) ? text.toLowerCase() : text))
  .pipe(emailAddress)
  .meta({ id: 'Email', example: 'ada@example.com' })

export const PersonName = z
  .string()
  .max(100)
  .refine(isPlainText, ruled('must be text without control characters', 'invalid_text'))

/** `null` means the same as an absent field, as it does over GraphQL. */
export const orDefault = <T extends z.ZodType>(schema: T, value: z.output<T>) =>
  schema
    .nullable()
    .default(value as z.core.util.NoUndefined<z.output<T>>)
    .transform((given): z.output<T> => given ?? value)

/** A password that is being chosen. The rules of the environment come on top. */
export const newPassword = z
  .string()
  .max(1024, { abort: true })
  .refine(isPlainText, ruled('must be text without control characters', 'invalid_text'))

/** A password that is being tried: whatever it may have been chosen as, elsewhere too. */
export const password = z
  .string()
  .min(1)
  .max(1024, { abort: true })
  .refine(wellFormed, ruled('must be valid text', 'invalid_text'))

/** Any text may be tried. What nobody mailed is a wrong code. */
const mailedCode = z
  .string()
  .min(1)
  .max(64, { abort: true })
  .refine(isPlainText, ruled('must be plain text', 'invalid_text'))
  .describe('From the mail: six digits, or 20 letters and digits after many wrong codes')

/** BCP 47, without its rarer parts. */
const LanguageTag = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/, 'must be a language tag such as de or fr-CA')

export const PublicUser = z
  .object({
    id: z.uuid(),
    email: z.string(),
    firstName: z.string(),
    lastName: z.string(),
    roles: z.array(z.string()),
  })
  .meta({ id: 'PublicUser' })
export type PublicUser = z.infer<typeof PublicUser>

const tokens = {
  accessToken: z.string().describe('A JWS, or a JWE if the environment encrypts tokens'),
  refreshToken: z.string().describe('Works for one refresh'),
}
export const TokenPair = z.object(tokens).meta({ id: 'TokenPair' })
export type TokenPair = z.infer<typeof TokenPair>

export const LoggedIn = z.object({ ...tokens, user: PublicUser }).meta({ id: 'LoggedIn' })
export type LoggedIn = z.infer<typeof LoggedIn>

export const Message = z.object({ message: z.string() }).meta({ id: 'Message' })

/**
 * A public key for verifying tokens (`sig`) or, if tokens are encrypted, for encrypting them
 * (`enc`).
 */
export const PublishedKey = z
  .object({
    kty: z.literal('RSA'),
    kid: z.string(),
    use: z.enum(['sig', 'enc']),
    alg: z.enum(['RS256', 'RSA-OAEP-256']),
    n: z.string(),
    e: z.string(),
  })
  .meta({ id: 'PublishedKey' })
export type PublishedKey = z.infer<typeof PublishedKey>

/** Read before everything else, also where the operation's own schemas are not reached. */
export const tenantHeaders = z.object({
  'x-project-id': ProjectId,
  environment: EnvironmentName.default('master'),
})

const accounts = { tag: 'accounts', security: 'none', headers: tenantHeaders } as const
const sessions = { tag: 'sessions', security: 'none', headers: tenantHeaders } as const
export const always = ['VALIDATION_ERROR', 'AUTH_NOT_CONFIGURED', 'SERVICE_UNAVAILABLE'] as const

export const signup = defineOperation({
  ...accounts,
  id: 'signup',
  method: 'post',
  path: '/auth/signup',
  summary: 'Sign up',
  description:
    'Registers a user. If the environment verifies addresses, the user gets a code by mail ' +
    'and confirms it before the first login.',
  body: z.strictObject({
    email: Email,
    password: newPassword.describe('8 characters or more, and not a common one'),
    firstName: orDefault(PersonName, ''),
    lastName: orDefault(PersonName, ''),
    roleId: z.uuid().nullish().describe('A role that users may choose'),
    locale: LanguageTag.nullish().describe(
      'Language of mails, such as `de` or `fr-CA`. Default: `mail.locale`, else `Accept-Language`',
    ),
  }),
  reply: { status: 201, schema: z.object({ userId: z.uuid(), message: z.string() }) },
  errors: [...always, 'AUTH_EMAIL_EXISTS', 'RATE_LIMIT_EXCEEDED'],
})

export const confirmSignup = defineOperation({
  ...accounts,
  id: 'confirmSignup',
  method: 'post',
  path: '/auth/confirm-signup',
  summary: 'Confirm an e-mail address',
  description:
    'Confirms the address with the mailed code and logs the user in. A code is valid for one ' +
    'hour, and a code of six digits for five attempts.',
  body: z.strictObject({
    email: Email,
    code: mailedCode,
  }),
  reply: { status: 200, schema: LoggedIn },
  errors: [...always, 'AUTH_INVALID_CODE', 'RATE_LIMIT_EXCEEDED'],
})

export const resendCode = defineOperation({
  ...accounts,
  id: 'resendCode',
  method: 'post',
  path: '/auth/resend-code',
  summary: 'Send a new verification code',
  description:
    'Mails a new code if the address waits for its confirmation. The answer is the same for ' +
    'every address.',
  body: z.strictObject({ email: Email }),
  reply: { status: 200, schema: Message },
  errors: [...always, 'RATE_LIMIT_EXCEEDED'],
})

export const login = defineOperation({
  ...accounts,
  id: 'login',
  method: 'post',
  path: '/auth/login',
  summary: 'Log in',
  description:
    'Returns an access token and a refresh token. By default, five failed logins in a row ' +
    'lock the account for that client for 15 minutes.',
  body: z.strictObject({ email: Email, password }),
  reply: { status: 200, schema: LoggedIn },
  errors: [
    ...always,
    'AUTH_INVALID_CREDENTIALS',
    'AUTH_EMAIL_NOT_VERIFIED',
    'AUTH_ACCOUNT_LOCKED',
    'RATE_LIMIT_EXCEEDED',
  ],
})

export const recoverPassword = defineOperation({
  ...accounts,
  id: 'recoverPassword',
  method: 'post',
  path: '/auth/recover-password',
  summary: 'Request a recovery code',
  description:
    'Mails a recovery code if the address is registered. The answer is the same for every ' +
    'address.',
  body: z.strictObject({ email: Email }),
  reply: { status: 200, schema: Message },
  errors: [...always, 'RATE_LIMIT_EXCEEDED'],
})

export const resetPassword = defineOperation({
  ...accounts,
  id: 'resetPassword',
  method: 'post',
  path: '/auth/reset-password',
  summary: 'Reset a password',
  description:
    'Sets a new password with the mailed recovery code. The reset ends every session and ' +
    'every lockout of the user.',
  body: z.strictObject({
    email: Email,
    newPassword: newPassword.describe('8 characters or more, and not a common one'),
    code: mailedCode,
  }),
  reply: { status: 200, schema: Message },
  errors: [...always, 'AUTH_INVALID_CODE', 'RATE_LIMIT_EXCEEDED'],
})

export const refreshToken = defineOperation({
  ...sessions,
  id: 'refreshToken',
  method: 'post',
  path: '/auth/refresh-token',
  summary: 'Refresh tokens',
  description:
    'Exchanges a refresh token for a new pair. Each refresh token works once. A refresh token ' +
    'that comes a second time ends its session, unless `refreshReuseInterval` still allows ' +
    'it.',
  body: z.strictObject({
    refreshToken: z.string().min(1).max(4096).describe('The newest of the session'),
  }),
  reply: { status: 200, schema: TokenPair },
  errors: [...always, 'AUTH_TOKEN_INVALID'],
})

export const logout = defineOperation({
  ...sessions,
  security: 'user',
  id: 'logout',
  method: 'post',
  path: '/auth/logout',
  summary: 'Log out',
  description:
    "Ends the session of the access token. Every service refuses the session's tokens when " +
    'you get the answer.',
  reply: { status: 200, schema: Message },
  errors: [...always, 'AUTH_TOKEN_INVALID', 'AUTH_TOKEN_EXPIRED', 'RATE_LIMIT_EXCEEDED'],
})

export const getJwks = defineOperation({
  ...sessions,
  id: 'getJwks',
  method: 'get',
  path: '/auth/.well-known/jwks.json',
  summary: 'Get the public keys',
  description: 'Returns the JSON Web Key Set of the environment. You may cache it for 5 minutes.',
  reply: { status: 200, schema: z.object({ keys: z.array(PublishedKey) }) },
  errors: [...always],
})

export const authGraphQL = defineOperation({
  ...accounts,
  id: 'authGraphQL',
  method: 'post',
  path: '/auth/graphql',
  summary: 'Authenticate over GraphQL',
  description:
    'Offers the REST operations of this API over GraphQL. A failed operation is an entry in ' +
    '`errors`, and the status stays 200. Its `extensions.code` is the error code that REST ' +
    'answers.',
  headers: undefined,
  body: GraphQLRequest,
  reply: { status: 200, schema: GraphQLResult },
  mediaTypes: graphqlMediaTypes,
  refusal: GraphQLResult,
  errors: [...always],
})
