import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { waitUntil } from '@surehook/service-kit/wait-until'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'

export type CaughtMail = {
  to: string
  from: { name: string; address: string }
  subject: string
  text: string
  html: string
  messageId: string
  /** The code in the mail, six digits or 20 letters and digits, or `null`. */
  code: string | null
  raw: string
}

export type MailCatcher = AsyncDisposable & {
  readonly url: string
  readonly port: number
  /** In order of arrival. */
  readonly mails: readonly CaughtMail[]
  /**
   * The newest mail to the address, once there are `count` of them; `codes`: of those with a code
   * in them.
   */
  waitFor(address: string, options?: WaitForMail): Promise<CaughtMail>
  stop(): Promise<void>
}

type WaitForMail = { count?: number; codes?: boolean; timeoutMs?: number }

export type MailCatcherOptions = {
  /** A directory in which each mail is kept as a file, for mail programs and for reading. */
  dir?: string
  /** Called for each mail with one line of text about it, before the client knows of it. */
  show?: (line: string) => unknown
  /**
   * Called before a mail is accepted. If it throws, the server refuses the mail. `closed` resolves
   * when the client ends the connection.
   */
  accept?: (recipient: string, closed: Promise<void>) => Promise<void> | void
  port?: number
}

/** How many mails are remembered. */
const kept = 1_000

/** Starts a mail server that accepts everything and delivers nothing. */
export async function startMailCatcher(options: MailCatcherOptions = {}): Promise<MailCatcher> {
  const { port = 0, accept } = options
  const mails: CaughtMail[] = []
  const open = new Map<string, PromiseWithResolvers<void>>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 500,
    onConnect({ id }, callback) {
      open.set(id, Promise.withResolvers())
      callback()
    },
    onClose({ id }) {
      open.get(id)?.resolve()
      open.delete(id)
    },
    onRcptTo({ address }, { id }, callback) {
      const closed = open.get(id)?.promise ?? Promise.resolve()
      settle(async () => accept?.(address, closed), callback)
    },
    onData(stream, session, callback) {
      settle(async () => {
        const caught = await catchMail(stream, session, options)
        mails.push(...caught)
        mails.splice(0, mails.length - kept)
      }, callback)
    },
    onAuth: (auth, _session, callback) => callback(null, { user: auth.username ?? 'anybody' }),
  })
  // A client that disconnects must not end the server.
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const bound = (server.server.address() as AddressInfo).port
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return {
    port: bound,
    url: `smtp://127.0.0.1:${bound}`,
    mails,
    async waitFor(address, { count = 1, codes = false, timeoutMs = 90_000 } = {}) {
      const fits = ({ to, code }: CaughtMail) => to === address && !(codes && code === null)
      const to = () => mails.filter(fits)
      const what = `mail ${count} to ${address}`
      await waitUntil(() => to().length >= count, { what, timeoutMs, everyMs: 20 })
      const newest = to().at(-1)
      if (newest === undefined) throw new Error(`${what} is gone`)
      return newest
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function settle(work: () => Promise<void>, callback: (err?: Error | null) => void): void {
  work().then(
    () => callback(),
    (err: unknown) => callback(err instanceof Error ? err : new Error(String(err))),
  )
}

async function catchMail(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
  { dir, show }: MailCatcherOptions,
): Promise<CaughtMail[]> {
  const mail = await parseMail((await buffer(stream)).toString('utf8'))
  const caught = envelope.rcptTo.map(({ address: to }) => ({ ...mail, to }))
  for (const { to, subject, code, raw } of caught) {
    if (dir !== undefined) await keep(dir, to, raw)
    await show?.(`mail to ${to}: ${subject}${code === null ? '' : `: ${code}`}`)
  }
  return caught
}

async function parseMail(raw: string): Promise<Omit<CaughtMail, 'to'>> {
  const { from, subject = '', text = '', html = '', messageId = '' } = await PostalMime.parse(raw)
  const sender = { name: from?.name ?? '', address: from?.address ?? '' }
  const code = /\b(?:\d{6}|[0-9A-HJKMNP-TV-Z]{20})\b/.exec(text)?.[0] ?? null
  return { from: sender, subject, text, html, messageId, code, raw }
}

async function keep(dir: string, to: string, raw: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const time = new Date().toISOString().replace(/[:.]/g, '-')
  const name = `${time}-${to.replace(/[^A-Za-z0-9@._+-]/g, '_').slice(0, 100)}`
  const file = `${dir}/${name}-${randomBytes(2).toString('hex')}.eml`
  await writeFile(file, raw, { mode: 0o600 })
}
