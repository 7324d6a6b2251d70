import type { MailTexts } from './mail-text.ts'

const at = (project: string | null) => (project === null ? '' : ` sur ${project}`)
const validity = (minutes: number) =>
  `Valable ${minutes} minutes, il ne peut être utilisé qu’une seule fois.`

export const fr: MailTexts = {
  greeting: 'Bonjour,',
  nouns: { code: 'code', link: 'lien' },
  verification: {
    subject: () => 'Confirmez votre adresse e-mail',
    intro: (noun, project) => `voici le ${noun} qui confirme votre adresse e-mail${at(project)} :`,
    validity,
    otherwise: (noun) => [
      `Si vous ne vous êtes pas inscrit, ne communiquez ce ${noun} à personne. Le compte est ` +
        'supprimé si personne ne confirme son adresse.',
      'Si votre mot de passe ne fonctionne pas après la confirmation, ou si quelqu’un d’autre ' +
        'l’a choisi, définissez-en un nouveau avec « Mot de passe oublié ».',
    ],
  },
  recovery: {
    subject: (noun) => `Votre ${noun} pour un nouveau mot de passe`,
    intro: (noun, project) =>
      `voici le ${noun} pour définir un nouveau mot de passe${at(project)} :`,
    validity,
    otherwise: (noun) => [
      `Si vous ne l’avez pas demandé, ne communiquez ce ${noun} à personne : votre mot de passe ` +
        'reste inchangé.',
    ],
  },
  password_changed: {
    subject: 'Votre mot de passe a été modifié',
    paragraphs: (project) => [
      `le mot de passe de votre compte${at(project)} a été modifié. Les autres appareils sont déconnectés.`,
      'Si ce n’était pas vous, définissez dès maintenant un nouveau mot de passe avec « Mot de ' +
        'passe oublié ».',
    ],
  },
  account_locked: {
    subject: 'Trop de connexions échouées',
    paragraphs: (project) => [
      `quelqu’un a essayé de se connecter à votre compte${at(project)} avec de mauvais mots de ` +
        'passe. Les connexions sont bloquées pour un moment.',
      'Si c’était vous, patientez puis réessayez, ou définissez un nouveau mot de passe avec ' +
        '« Mot de passe oublié ».',
      'Si ce n’était pas vous, votre mot de passe n’a pas été deviné. Choisissez-en un long que ' +
        'vous n’utilisez nulle part ailleurs.',
    ],
  },
  token_reused: {
    subject: 'Vous avez été déconnecté d’un appareil',
    paragraphs: (project) => [
      `la connexion d’un appareil à votre compte${at(project)} a été utilisée deux fois, nous y ` +
        'avons donc mis fin. Quelqu’un l’a peut-être copiée.',
      'Reconnectez-vous sur cet appareil. Si vous n’en connaissez pas la raison, définissez un ' +
        'nouveau mot de passe avec « Mot de passe oublié ».',
    ],
  },
}
