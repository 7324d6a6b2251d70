import type { MailTexts } from './mail-text.ts'

const at = (project: string | null) => (project === null ? '' : ` at ${project}`)
const validity = (minutes: number) => `It is valid for ${minutes} minutes and can be used once.`

export const en: MailTexts = {
  greeting: 'Hello,',
  nouns: { code: 'code', link: 'link' },
  verification: {
    subject: () => 'Confirm your e-mail address',
    intro: (noun, project) => `with this ${noun} you confirm your e-mail address${at(project)}:`,
    validity,
    otherwise: (noun) => [
      `If you have not signed up, tell this ${noun} to nobody. The account is deleted unless ` +
        'somebody confirms its address.',
      'If your password does not work after the confirmation, or somebody else chose it, set a ' +
        'new one with “Forgot password”.',
    ],
  },
  recovery: {
    subject: (noun) => `Your ${noun} for a new password`,
    intro: (noun, project) => `with this ${noun} you set a new password${at(project)}:`,
    validity,
    otherwise: (noun) => [
      `If you have not asked for it, tell this ${noun} to nobody: your password stays as it is.`,
    ],
  },
  password_changed: {
    subject: 'Your password was changed',
    paragraphs: (project) => [
      `the password of your account${at(project)} was changed. Other devices are logged out.`,
      'If it was not you, set a new password with “Forgot password” now.',
    ],
  },
  account_locked: {
    subject: 'Too many failed logins',
    paragraphs: (project) => [
      `somebody tried to log in to your account${at(project)} with wrong passwords. Logins are ` +
        'locked for a while.',
      'If it was you, wait and try again, or set a new password with “Forgot password”.',
      'If it was not you, your password was not guessed. Choose a long one that you use nowhere else.',
    ],
  },
  token_reused: {
    subject: 'You were logged out on one device',
    paragraphs: (project) => [
      `the login of one device to your account${at(project)} was used twice, so that we ended ` +
        'it. Somebody may have copied it.',
      'Log in again there. If you do not know why this happened, set a new password with “Forgot password”.',
    ],
  },
}
