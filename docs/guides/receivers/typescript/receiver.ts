import { createHmac, timingSafeEqual } from 'node:crypto'
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import http, {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import https from 'node:https'

const { PORT = '8000', WEBHOOK_SECRETS = '[]', INBOX = 'inbox', TLS_CERT, TLS_KEY } = process.env
// Every secret that may be in use, as a JSON array: during a rotation the old one and the new one.
const secrets = JSON.parse(WEBHOOK_SECRETS) as string[]
const toleranceS = 300
const maxBodyBytes = 2_000_000

/** True if we sent these bytes, and lately. */
function isGenuine(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const timestamp = text(headers['webhook-timestamp'])
  const ageS = Date.now() / 1000 - Number(timestamp)
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(ageS) > toleranceS) return false

  const prefix = `${text(headers['webhook-id'])}.${timestamp}.`
  const standard = secrets.map((secret) => {
    const hmac = createHmac('sha256', keyOf(secret)).update(prefix).update(body)
    return `v1,${hmac.digest('base64')}`
  })
  const service = secrets.map(
    (secret) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  )
  const given = text(headers['webhook-signature']).split(' ')
  return anyEqual(given, standard) && anyEqual([text(headers['x-service-signature'])], service)
}

/** The key of `webhook-signature`: a secret that begins with whsec_ is base64. */
function keyOf(secret: string): Buffer {
  if (!secret.startsWith('whsec_')) return Buffer.from(secret, 'utf8')
  return Buffer.from(secret.slice('whsec_'.length), 'base64')
}

const anyEqual = (given: string[], expected: string[]) =>
  given.some((one) => expected.some((other) => equal(Buffer.from(one), Buffer.from(other))))

// In constant time: how much of a wrong signature is right must not show.
const equal = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

const text = (header: string | string[] | undefined) => (typeof header === 'string' ? header : '')

/** Takes a delivery once: a link of that name can be made once, and is made when all is on the disk. */
async function take(id: string, body: Buffer): Promise<void> {
  const partial = `${INBOX}/${id}.${crypto.randomUUID()}.partial`
  const file = await open(partial, 'wx')
  try {
    await file.writeFile(body)
    await file.sync()
    await link(partial, `${INBOX}/${id}.json`)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EEXIST') throw err
  } finally {
    await file.close()
    await unlink(partial)
  }
  const directory = await open(INBOX)
  await directory.sync()
  await directory.close()
}

async function statusOf(req: IncomingMessage): Promise<number> {
  if (req.method !== 'POST') return 405
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) return 413
    chunks.push(chunk)
  }
  // The bytes as they came: JSON that was parsed and written again has another signature.
  const body = Buffer.concat(chunks)
  if (!isGenuine(req.headers, body)) return 401
  // The same in every attempt, and another one for each webhook of the event.
  const id = text(req.headers['webhook-id'])
  if (!/^[0-9A-Za-z-]{1,64}$/.test(id)) return 400
  // The work comes after the answer, from the inbox: an answer after 5 s is too late.
  await take(id, body)
  console.log(body.toString('utf8'))
  return 204
}

function answer(req: IncomingMessage, res: ServerResponse): void {
  void statusOf(req)
    .catch((err: unknown) => {
      console.error(err)
      return 500
    })
    .then((status) => res.writeHead(status).end())
}

await mkdir(INBOX, { recursive: true })
// Without a certificate it speaks HTTP, behind a proxy that ends TLS.
const server =
  TLS_CERT === undefined || TLS_KEY === undefined
    ? http.createServer(answer)
    : https.createServer({ cert: await readFile(TLS_CERT), key: await readFile(TLS_KEY) }, answer)
server.listen(Number(PORT), '127.0.0.1')
