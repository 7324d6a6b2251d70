import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import express from 'express'
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

async function statusOf(body: Buffer, headers: Record<string, string>): Promise<number> {
  const id = headers['webhook-id'] ?? ''
  if (!isGenuine(body, headers)) return 401
  if (!/^[0-9A-Za-z-]{1,64}$/.test(id)) return 400
  await keep(id, body)
  return 204
}

const app = express()
// The signature covers the raw bytes, so no parser may change them.
app.post('/{*path}', express.raw({ type: () => true, limit: '2mb' }), (req, res, next) => {
  const headers = req.headers as Record<string, string>
  statusOf(req.body, headers).then((status) => res.sendStatus(status), next)
})
await mkdir(INBOX, { recursive: true })
const tls = TLS_CERT && TLS_KEY && { cert: await readFile(TLS_CERT), key: await readFile(TLS_KEY) }
const server = tls ? https.createServer(tls, app) : http.createServer(app)
server.listen(Number(PORT), '127.0.0.1')
