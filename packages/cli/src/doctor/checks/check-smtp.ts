import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { reasonOf } from '@surehook/service-kit/errors'
import type { Target } from '../target.ts'

const { ok, wrong, skipped } = findingsOf('smtp')

const timeoutMs = 5_000

/** Checks whether the mail server sends its greeting. Sends no mail. */
export async function checkSmtp({ env, isLocal }: Target): Promise<Finding[]> {
  const text = env['SMTP_URL']
  if (!text) {
    return [skipped(isLocal ? 'mails are kept in .local/mail' : 'SMTP_URL is not set')]
  }
  if (!URL.canParse(text))
    return [wrong('SMTP_URL is no URL', 'Write smtp://user:password@host:port.')]
  const { protocol, hostname, port } = new URL(text)
  const isTls = protocol === 'smtps:'
  const place = { host: hostname, port: Number(port || (isTls ? 465 : 587)) }
  const where = `${place.host}:${place.port}`
  try {
    const greeting = await greetingOf(
      isTls ? connectTls({ ...place, servername: place.host }) : connectTcp(place),
    )
    if (greeting.startsWith('220')) return [ok(`${where} greets`)]
    return [
      wrong(
        `${where} says "${greeting.slice(0, 100)}"`,
        'See that SMTP_URL names a mail server that takes mail.',
      ),
    ]
  } catch (err) {
    return [
      wrong(
        `${where}: ${reasonOf(err)}`,
        'Bring the mail server back: codes wait in the outbox until they expire.',
      ),
    ]
  }
}

async function greetingOf(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  socket.setTimeout(timeoutMs, () => reject(new Error(`no greeting in ${timeoutMs} ms`)))
  socket.once('error', reject)
  socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1').trim()))
  socket.once('close', () => reject(new Error('it closed the connection')))
  try {
    return await promise
  } finally {
    socket.destroy()
  }
}
