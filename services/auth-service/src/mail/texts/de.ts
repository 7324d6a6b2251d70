import type { MailTexts } from './mail-text.ts'

const at = (project: string | null) => (project === null ? '' : ` bei ${project}`)
const validity = (minutes: number) => `Er gilt ${minutes} Minuten und kann einmal verwendet werden.`

export const de: MailTexts = {
  greeting: 'Guten Tag,',
  nouns: { code: 'Code', link: 'Link' },
  verification: {
    subject: () => 'Bestätigen Sie Ihre E-Mail-Adresse',
    intro: (noun, project) =>
      `mit diesem ${noun} bestätigen Sie Ihre E-Mail-Adresse${at(project)}:`,
    validity: validity,
    otherwise: (noun) => [
      `Wenn Sie sich nicht registriert haben, geben Sie diesen ${noun} nicht weiter. Das Konto ` +
        'wird gelöscht, wenn niemand seine Adresse bestätigt.',
      'Wenn Ihr Passwort nach der Bestätigung nicht gilt oder jemand anders es gewählt hat, ' +
        'setzen Sie mit „Passwort vergessen“ ein neues.',
    ],
  },
  recovery: {
    subject: (noun) => `Ihr ${noun} für ein neues Passwort`,
    intro: (noun, project) => `mit diesem ${noun} setzen Sie ein neues Passwort${at(project)}:`,
    validity: validity,
    otherwise: (noun) => [
      `Wenn Sie ihn nicht angefordert haben, geben Sie diesen ${noun} nicht weiter: Ihr Passwort ` +
        'bleibt, wie es ist.',
    ],
  },
  password_changed: {
    subject: 'Ihr Passwort wurde geändert',
    paragraphs: (project) => [
      `das Passwort Ihres Kontos${at(project)} wurde geändert. Andere Geräte sind abgemeldet.`,
      'Wenn Sie das nicht waren, setzen Sie jetzt mit „Passwort vergessen“ ein neues.',
    ],
  },
  account_locked: {
    subject: 'Zu viele fehlgeschlagene Anmeldungen',
    paragraphs: (project) => [
      `jemand hat mit falschen Passwörtern versucht, sich in Ihrem Konto${at(project)} ` +
        'anzumelden. Anmeldungen sind für eine Weile gesperrt.',
      'Wenn Sie das waren, warten Sie etwas, oder setzen Sie mit „Passwort vergessen“ ein neues Passwort.',
      'Wenn Sie das nicht waren: Ihr Passwort wurde nicht erraten. Wählen Sie ein langes, das ' +
        'Sie sonst nirgends verwenden.',
    ],
  },
  token_reused: {
    subject: 'Sie wurden auf einem Gerät abgemeldet',
    paragraphs: (project) => [
      `die Anmeldung eines Geräts in Ihrem Konto${at(project)} wurde zweimal verwendet, deshalb ` +
        'haben wir sie beendet. Vielleicht hat sie jemand kopiert.',
      'Melden Sie sich dort neu an. Wenn Sie den Grund nicht kennen, setzen Sie mit „Passwort ' +
        'vergessen“ ein neues Passwort.',
    ],
  },
}
