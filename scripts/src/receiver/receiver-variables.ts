import type { DemoCa } from './demo-ca.ts'

type Defaults = {
  demoCa: Pick<DemoCa, 'certificateFile' | 'keyFile'>
  secret: string
  inbox: string
}

/**
 * The variables of the receiver of `npm run receiver`. Its port is `RECEIVER_PORT`: `PORT` is the
 * port of `npm start`.
 */
export function receiverVariables(env: NodeJS.ProcessEnv, { demoCa, secret, inbox }: Defaults) {
  return {
    PORT: env['RECEIVER_PORT'] || '9443',
    INBOX: env['INBOX'] || inbox,
    TLS_CERT: env['TLS_CERT'] || demoCa.certificateFile,
    TLS_KEY: env['TLS_KEY'] || demoCa.keyFile,
    WEBHOOK_SECRETS: env['WEBHOOK_SECRETS'] || JSON.stringify([secret]),
  }
}
