import type { AuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import type { MailTemplate } from './outbox.ts'

export type MailText = {
  subject: string
  greeting: string
  intro: string
  validity: (minutes: number) => string
  /** Advice for readers who did not request the mail, one paragraph each. */
  otherwise: readonly string[]
}

/** The texts of each mail, by locale. */
export const mailTexts: Readonly<
  Record<AuthSettings['mail']['locale'], Readonly<Record<MailTemplate, MailText>>>
> = {
  en: {
    verification: {
      subject: 'Confirm your e-mail address',
      greeting: 'Hello,',
      intro: 'with this code you confirm your e-mail address:',
      validity: (minutes) => `It is valid for ${minutes} minutes and can be used once.`,
      otherwise: [
        'If you have not signed up, tell this code to nobody. The account is deleted unless somebody confirms its address.',
        'If your password does not work after the confirmation, or somebody else chose it, set a new one with “Forgot password”.',
      ],
    },
    recovery: {
      subject: 'Your code for a new password',
      greeting: 'Hello,',
      intro: 'with this code you set a new password:',
      validity: (minutes) => `It is valid for ${minutes} minutes and can be used once.`,
      otherwise: [
        'If you have not asked for it, tell this code to nobody: your password stays as it is.',
      ],
    },
  },
  de: {
    verification: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      greeting: 'Guten Tag,',
      intro: 'mit diesem Code bestätigen Sie Ihre E-Mail-Adresse:',
      validity: (minutes) => `Er gilt ${minutes} Minuten und kann einmal verwendet werden.`,
      otherwise: [
        'Wenn Sie sich nicht registriert haben, geben Sie diesen Code nicht weiter. Das Konto wird gelöscht, wenn niemand seine Adresse bestätigt.',
        'Wenn Ihr Passwort nach der Bestätigung nicht gilt oder jemand anders es gewählt hat, setzen Sie mit „Passwort vergessen“ ein neues.',
      ],
    },
    recovery: {
      subject: 'Ihr Code für ein neues Passwort',
      greeting: 'Guten Tag,',
      intro: 'mit diesem Code setzen Sie ein neues Passwort:',
      validity: (minutes) => `Er gilt ${minutes} Minuten und kann einmal verwendet werden.`,
      otherwise: [
        'Wenn Sie ihn nicht angefordert haben, geben Sie diesen Code nicht weiter: Ihr Passwort bleibt, wie es ist.',
      ],
    },
  },
}
