import { createTransport } from 'nodemailer'
import type { RenderedMail } from './render-mail.ts'

export type MailTransport = Disposable & {
  /** Resolves when the server took the mail. `id` makes a mail that is sent twice one mail. */
  send(id: string, mail: RenderedMail): Promise<void>
}

export const mailConnections = 8
/** No call of `send` takes longer than about this. */
export const longestSendMs = 30_000

/** @param smtpUrl `smtp://user:password@host:port` or `smtps://…` */
export function openMailTransport(smtpUrl: string): MailTransport {
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: mailConnections,
    // What failed stays in the outbox: retries are its own.
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

/** The server will not take it for this recipient, however often it is asked. */
export function isRefusedForGood(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  const { command, responseCode } = err as { command?: unknown; responseCode?: unknown }
  return command === 'RCPT TO' && typeof responseCode === 'number' && responseCode >= 500
}
