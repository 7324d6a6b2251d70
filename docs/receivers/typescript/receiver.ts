import { createHmac, timingSafeEqual } from 'node:crypto'
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'

const { PORT = '8000', WEBHOOK_SECRETS = '[]', INBOX = 'inbox' } = process.env
// Every secret that may be in use, as a JSON array: during a rotation the old one and the new one.
const secrets = JSON.parse(WEBHOOK_SECRETS) as string[]
const toleranceS = 300
const maxBodyBytes = 2_000_000

/** Whether these bytes were sent by us, and lately. */
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

/** Takes an event once: a link of that name can be made once, and is made when all is on the disk. */
async function take(id: string, body: Buffer): Promise<void> {
  const partial = `${INBOX}/${id}.${crypto.randomUUID()}.partial`
  await using file = await open(partial, 'wx')
  try {
    await file.writeFile(body)
    await file.sync()
    await link(partial, `${INBOX}/${id}.json`)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'EEXIST') throw err
  } finally {
    await unlink(partial)
  }
  await using directory = await open(INBOX)
  await directory.sync()
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
  const { id } = JSON.parse(body.toString('utf8')) as { id: string }
  if (!/^[0-9A-Za-z-]{1,64}$/.test(id)) return 400
  // The work comes after the answer, from the inbox: who takes longer than 5 s gets it again.
  await take(id, body)
  return 204
}

await mkdir(INBOX, { recursive: true })
createServer((req, res) => {
  void statusOf(req)
    .catch((err: unknown) => {
      console.error(err)
      return 500
    })
    .then((status) => res.writeHead(status).end())
}).listen(Number(PORT), '127.0.0.1')
