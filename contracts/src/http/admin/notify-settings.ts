import * as z from 'zod'
import { ruled } from '../../violation-rules.ts'
import { emailAddress } from '../email-address.ts'
import { httpsUrlFault } from '../https-url.ts'
import { change } from './auth-settings.ts'
import { chatKinds } from './chat-urls.ts'

export const alertDigestInterval = z
  .int()
  .min(10)
  .max(86_400)
  .describe('The shortest time between two alerts, in seconds')
export const alertEmails = z
  .array(emailAddress)
  .max(10)
  .refine(
    (addresses) => new Set(addresses.map((one) => one.toLowerCase())).size === addresses.length,
    ruled('each address once', 'repeated'),
  )
  .describe('Addresses that get the alerts')
const kind = z.enum(chatKinds)
export const mostChats = 5

/** The recipients of alerts, which tell of failing and of recovered webhooks. */
export const NotifySettings = z
  .object({
    emails: alertEmails,
    chats: z
      .array(
        z.object({
          url: z.string().describe('Its origin and the last characters. The rest is a secret'),
          kind,
        }),
      )
      .describe('Chats that get the alerts'),
    digestInterval: alertDigestInterval,
    failures: z
      .array(
        z.object({
          recipient: z.string().describe('An address, or a URL as `chats` shows it'),
          at: z.iso.datetime(),
          reason: z.string(),
        }),
      )
      .describe('Recipients whose last alert was given up'),
  })
  .meta({ id: 'NotifySettings' })
export type NotifySettings = z.infer<typeof NotifySettings>

export const defaultNotifySettings: NotifySettings = {
  ...{ emails: [], chats: [], digestInterval: 300, failures: [] },
}

const chatUrl = z.string().superRefine((text, ctx) => {
  const message = httpsUrlFault(text)
  if (message !== null)
    ctx.addIssue({ code: 'custom', message, params: { rule: 'invalid_format' } })
})

export const NotifySettingsChange = z
  .strictObject({
    emails: change(alertEmails),
    chats: change(
      z
        .array(
          z.strictObject({
            url: chatUrl.describe('A webhook URL of the chat. As an answer shows it: it stays'),
            kind: kind.optional().describe('Absent: by the host, otherwise `slack`'),
          }),
        )
        .max(mostChats),
    ).describe('Replaces all chats'),
    digestInterval: change(alertDigestInterval),
  })
  .meta({ id: 'NotifySettingsChange' })
export type NotifySettingsChange = z.infer<typeof NotifySettingsChange>
