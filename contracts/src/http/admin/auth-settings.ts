import * as z from 'zod'
import { ruled } from '../../violation-rules.ts'
import { emailAddress } from '../email-address.ts'
import { linkTemplateFault } from '../link-template.ts'
import { isPlainText } from '../text.ts'

export const RoleName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, "-" or "_"')
  .meta({ id: 'RoleName' })
const seconds = (min: number, max: number) => z.int().min(min).max(max)
const day = 86_400

/** Schemas of the fields. Their defaults are in `defaultAuthSettings`. */
const fields = {
  enabled: z.boolean(),
  emailVerification: z.boolean(),
  encryptTokens: z.boolean(),
  accessTokenTtl: seconds(1, day),
  refreshTokenTtl: seconds(1, 90 * day),
  refreshReuseInterval: seconds(0, 300),
  unverifiedAccountTtl: seconds(1, 3650 * day).describe(
    'Seconds until an account with an unconfirmed address is deleted',
  ),
  defaultRole: RoleName.nullable(),
}
const lockoutFields = {
  threshold: z.int().min(1).max(1000),
  duration: seconds(1, day),
  /**
   * `account` locks the account for every client, `client` only for the client whose attempts
   * failed.
   */
  scope: z.enum(['client', 'account']),
}

/** One line of a mail's head: what breaks the line would add headers to it. */
const headerText = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine(isPlainText, ruled('must be one line of text', 'invalid_text'))
/** The link in a mail. `{code}` and `{email}` stand for their values. */
const linkTemplate = z.string().superRefine((text, ctx) => {
  const message = linkTemplateFault(text)
  if (message === null) return
  ctx.addIssue({ code: 'custom', message, params: { rule: 'invalid_format' } })
})
/** The languages that mails are written in. */
export const mailLocales = ['en', 'de', 'fr', 'es'] as const
export type MailLocale = (typeof mailLocales)[number]
const mailFields = {
  senderName: headerText(100).nullable().describe('null: from `MAIL_FROM`'),
  senderAddress: emailAddress.nullable().describe('null: from `MAIL_FROM`'),
  projectName: headerText(100).nullable().describe('Named in subjects and texts. null: not named'),
  confirmUrl: linkTemplate
    .nullable()
    .describe('A link with `{code}` and `{email}` in place of the code. null: the code'),
  resetUrl: linkTemplate.nullable().describe('Like `confirmUrl`, for a new password'),
  locale: z.enum(mailLocales),
  notices: z.boolean(),
  verificationSubject: headerText(200).nullable().describe('null: the default of the locale'),
  recoverySubject: headerText(200).nullable().describe('null: the default of the locale'),
}
const passwordFields = {
  minLength: z.int().min(8).max(128),
  minScore: z
    .int()
    .min(0)
    .max(4)
    .describe('The zxcvbn score that a new password needs. 0: no check'),
  breachCheck: z.boolean(),
}

const lockout = z.object({
  threshold: lockoutFields.threshold.describe('Failed logins in a row that lock the account'),
  duration: lockoutFields.duration.describe('Seconds that the lock lasts'),
  scope: lockoutFields.scope.describe(
    '`client`: locked for the failing client, `account`: for all',
  ),
})
const password = z.object({
  minLength: passwordFields.minLength.describe('Characters that a new password needs'),
  minScore: passwordFields.minScore,
  breachCheck: passwordFields.breachCheck.describe('Refuse passwords known from a breach'),
})

export const AuthSettings = z
  .object({
    ...fields,
    enabled: fields.enabled.describe('Authentication is on'),
    emailVerification: fields.emailVerification.describe('Users confirm their address to log in'),
    encryptTokens: fields.encryptTokens.describe('Access tokens are encrypted (JWE)'),
    accessTokenTtl: fields.accessTokenTtl.describe('Lifetime in seconds'),
    refreshTokenTtl: fields.refreshTokenTtl.describe('Lifetime in seconds'),
    refreshReuseInterval: fields.refreshReuseInterval.describe(
      'Seconds in which the last refresh may be repeated',
    ),
    lockout,
    password,
    mail: z.object({
      ...mailFields,
      locale: mailFields.locale.describe('The language of mails to users without their own'),
      notices: mailFields.notices.describe(
        'Tell users by mail of a new password, a lock and a reused refresh token',
      ),
    }),
  })
  .meta({ id: 'AuthSettings' })
export type AuthSettings = z.infer<typeof AuthSettings>

export const defaultAuthSettings: AuthSettings = {
  enabled: true,
  emailVerification: true,
  encryptTokens: false,
  accessTokenTtl: 15 * 60,
  refreshTokenTtl: 30 * day,
  refreshReuseInterval: 0,
  unverifiedAccountTtl: day,
  lockout: { threshold: 5, duration: 15 * 60, scope: 'client' },
  password: { minLength: 8, minScore: 0, breachCheck: false },
  mail: {
    senderName: null,
    senderAddress: null,
    projectName: null,
    confirmUrl: null,
    resetUrl: null,
    locale: 'en',
    notices: true,
    verificationSubject: null,
    recoverySubject: null,
  },
  defaultRole: null,
}

/** An absent field keeps its value. `null` resets it to the default. */
export const change = <T extends z.ZodType>(schema: T) => schema.nullable().optional()

export const AuthSettingsChange = z
  .strictObject({
    enabled: change(fields.enabled),
    emailVerification: change(fields.emailVerification),
    encryptTokens: change(fields.encryptTokens),
    accessTokenTtl: change(fields.accessTokenTtl),
    refreshTokenTtl: change(fields.refreshTokenTtl),
    refreshReuseInterval: change(fields.refreshReuseInterval),
    unverifiedAccountTtl: change(fields.unverifiedAccountTtl),
    lockout: change(
      z.strictObject({
        threshold: change(lockoutFields.threshold),
        duration: change(lockoutFields.duration),
        scope: change(lockoutFields.scope),
      }),
    ),
    password: change(
      z.strictObject({
        minLength: change(passwordFields.minLength),
        minScore: change(passwordFields.minScore),
        breachCheck: change(passwordFields.breachCheck),
      }),
    ),
    mail: change(
      z.strictObject({
        senderName: change(mailFields.senderName),
        senderAddress: change(mailFields.senderAddress),
        projectName: change(mailFields.projectName),
        confirmUrl: change(mailFields.confirmUrl),
        resetUrl: change(mailFields.resetUrl),
        locale: change(mailFields.locale),
        notices: change(mailFields.notices),
        verificationSubject: change(mailFields.verificationSubject),
        recoverySubject: change(mailFields.recoverySubject),
      }),
    ),
    defaultRole: change(RoleName),
  })
  .meta({ id: 'AuthSettingsChange' })
export type AuthSettingsChange = z.infer<typeof AuthSettingsChange>
