import { createTransport } from 'nodemailer'
import type { RenderedMail } from './render-mail.ts'

export type MailTransport = Disposable & {
  /**
   * Resolves when the server has accepted the mail. `id` becomes its Message-ID, so that receivers
   * can recognise a duplicate.
   */
  send(id: string, mail: RenderedMail): Promise<void>
}

export const mailConnections = 8
/** The approximate limit of one call of `send`. */
export const longestSendMs = 30_000

/** @param smtpUrl `smtp://user:password@host:port` or `smtps://…` */
export function openMailTransport(smtpUrl: string): MailTransport {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: mailConnections,
    // The outbox retries failed mails, so the transport does not.
    maxRequeues: 0,
    dnsTimeout: 5_000,
    connectionTimeout: 5_000,
    greetingTimeout: 5_000,
    socketTimeout: 10_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(id, { from, to, subject, text, html }) {
      const domain = from.address.split('@').at(-1) ?? 'localhost'
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    },
    [Symbol.dispose]: () => transport.close(),
  }
}

/** True if the server refuses this recipient permanently, so that a retry is useless. */
export function isRefusedForGood(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  const { command, responseCode } = err as { command?: unknown; responseCode?: unknown }
  return command === 'RCPT TO' && typeof responseCode === 'number' && responseCode >= 500
}
