import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import Fastify from 'fastify'
import { Webhook } from 'standardwebhooks'

const { PORT = '8000', WEBHOOK_SECRETS = '[]', INBOX = 'inbox', TLS_CERT, TLS_KEY } = process.env
// During a rotation the array holds the old secret and the new one.
const webhooks = (JSON.parse(WEBHOOK_SECRETS) as string[]).map((secret) =>
  secret.startsWith('whsec_') ? new Webhook(secret) : new Webhook(secret, { format: 'raw' }),
)

function isGenuine(body: Buffer, headers: Record<string, string>): boolean {
  return webhooks.some((webhook) => {
    try {
      webhook.verify(body, headers)
      return true
    } catch {
      return false
    }
  })
}

/** Keeps a delivery once: the link fails if an earlier attempt made it. */
async function keep(id: string, body: Buffer): Promise<void> {
  const partial = `${INBOX}/${crypto.randomUUID()}.partial`
  await writeFile(partial, body, { flush: true })
  await link(partial, `${INBOX}/${id}.json`).catch((err: NodeJS.ErrnoException) => {
    if (err.code !== 'EEXIST') throw err
  })
  await unlink(partial)
}

const tls = TLS_CERT && TLS_KEY && { cert: await readFile(TLS_CERT), key: await readFile(TLS_KEY) }
const app = Fastify({ https: tls || null, bodyLimit: 2_000_000 })
// The signature covers the raw bytes, so no parser may change them.
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_req, body, done) => done(null, body))
app.post<{ Body: Buffer }>('/*', async ({ body, headers }, reply) => {
  const id = String(headers['webhook-id'])
  if (!isGenuine(body, headers as Record<string, string>)) return reply.code(401).send()
  if (!/^[0-9A-Za-z-]{1,64}$/.test(id)) return reply.code(400).send()
  await keep(id, body)
  return reply.code(204).send()
})
await mkdir(INBOX, { recursive: true })
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
