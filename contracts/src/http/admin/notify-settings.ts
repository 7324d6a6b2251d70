import * as z from 'zod'
import { ruled } from '../../violation-rules.ts'
import { emailAddress } from '../email-address.ts'
import { change } from './auth-settings.ts'

const fields = {
  emails: z
    .array(emailAddress)
    .max(10)
    .refine(
      (addresses) => new Set(addresses.map((one) => one.toLowerCase())).size === addresses.length,
      ruled('each address once', 'repeated'),
    )
    .describe('Addresses that get the alerts'),
  digestInterval: z
    .int()
    .min(10)
    .max(86_400)
    .describe('The shortest time between two alerts, in seconds'),
}

/** Who is told when webhooks fail and when they have recovered. */
export const NotifySettings = z.object(fields).meta({ id: 'NotifySettings' })
export type NotifySettings = z.infer<typeof NotifySettings>

export const defaultNotifySettings: NotifySettings = { emails: [], digestInterval: 300 }

export const NotifySettingsChange = z
  .strictObject({ emails: change(fields.emails), digestInterval: change(fields.digestInterval) })
  .meta({ id: 'NotifySettingsChange' })
export type NotifySettingsChange = z.infer<typeof NotifySettingsChange>
