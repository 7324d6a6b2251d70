import type { MailTexts } from './mail-text.ts'

const at = (project: string | null) => (project === null ? '' : ` en ${project}`)
const validity = (minutes: number) =>
  `Es válido durante ${minutes} minutos y se puede usar una sola vez.`

export const es: MailTexts = {
  greeting: 'Hola:',
  nouns: { code: 'código', link: 'enlace' },
  verification: {
    subject: () => 'Confirma tu dirección de correo',
    intro: (noun, project) => `con este ${noun} confirmas tu dirección de correo${at(project)}:`,
    validity,
    otherwise: (noun) => [
      `Si no te has registrado, no des este ${noun} a nadie. La cuenta se elimina si nadie ` +
        'confirma su dirección.',
      'Si tu contraseña no funciona después de la confirmación, o si otra persona la eligió, ' +
        'crea una nueva con «¿Olvidaste tu contraseña?».',
    ],
  },
  recovery: {
    subject: (noun) => `Tu ${noun} para una contraseña nueva`,
    intro: (noun, project) => `con este ${noun} creas una contraseña nueva${at(project)}:`,
    validity,
    otherwise: (noun) => [
      `Si no lo has pedido, no des este ${noun} a nadie: tu contraseña no cambia.`,
    ],
  },
  password_changed: {
    subject: 'Tu contraseña ha cambiado',
    paragraphs: (project) => [
      `la contraseña de tu cuenta${at(project)} ha cambiado. Se ha cerrado la sesión en los ` +
        'demás dispositivos.',
      'Si no has sido tú, crea ahora una contraseña nueva con «¿Olvidaste tu contraseña?».',
    ],
  },
  account_locked: {
    subject: 'Demasiados inicios de sesión fallidos',
    paragraphs: (project) => [
      `alguien ha intentado entrar en tu cuenta${at(project)} con contraseñas incorrectas. El ` +
        'acceso está bloqueado durante un tiempo.',
      'Si has sido tú, espera y vuelve a intentarlo, o crea una contraseña nueva con «¿Olvidaste ' +
        'tu contraseña?».',
      'Si no has sido tú, nadie ha adivinado tu contraseña. Elige una larga que no uses en ' +
        'ningún otro sitio.',
    ],
  },
  token_reused: {
    subject: 'Se ha cerrado tu sesión en un dispositivo',
    paragraphs: (project) => [
      `la sesión de un dispositivo en tu cuenta${at(project)} se ha usado dos veces, así que la ` +
        'hemos cerrado. Puede que alguien la haya copiado.',
      'Vuelve a entrar en ese dispositivo. Si no sabes a qué se debe, crea una contraseña nueva ' +
        'con «¿Olvidaste tu contraseña?».',
    ],
  },
}
