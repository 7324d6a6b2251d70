import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs alone in a pod: writes records through the gateway and receives their webhooks. `GET :8080/`
 * returns the results so far. `GET :8080/end` stops the writers first.
 */
const variable = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}
const [url, headers, secret] = [
  variable('GATEWAY_URL'),
  JSON.parse(variable('HEADERS')) as Record<string, string>,
  variable('SIGNING_SECRET'),
]
const writers = 4
const pauseMs = 50

const written = new Set<string>()
const delivered = new Map<string, number>()
const failures: string[] = []
let unsigned = 0
const over = new AbortController()

const receiver = createHttps(
  { cert: readFileSync('/files/tls.crt'), key: readFileSync('/files/tls.key') },
  (req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks)
      const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      const shown = [req.headers['x-service-signature'] ?? ''].flat().join()
      if (!isSame(expected, shown)) unsigned += 1
      const { id } = (JSON.parse(body.toString()) as { record: { id: string } }).record
      delivered.set(id, (delivered.get(id) ?? 0) + 1)
      res.writeHead(200).end()
    })
  },
)
receiver.listen(8443)

createHttp((req, res) => {
  if (req.url === '/end') over.abort()
  // The caller needs the outcome of every acknowledged record.
  const ended = over.signal.aborted ? writing : Promise.resolve([])
  void ended.then(() => res.end(JSON.stringify(report())))
}).listen(8080)

function report() {
  const missing = [...written].filter((id) => !delivered.has(id)).length
  const repeated = [...delivered.values()].filter((times) => times > 1).length
  const strange = [...delivered.keys()].filter((id) => !written.has(id)).length
  const counts = { written: written.size, missing, repeated, strange, unsigned }
  return { ...counts, failures: failures.slice(0, 20), failed: failures.length }
}

const writing = Promise.all(Array.from({ length: writers }, write))

async function write(): Promise<void> {
  for (let n = 0; !over.signal.aborted; n += 1) {
    const key = crypto.randomUUID()
    // Repeats until the record is inserted, and counts every other answer.
    while (!(await insert(n, key)) && !over.signal.aborted) await wait(200)
    await wait(pauseMs)
  }
}

async function insert(n: number, key: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/gw/api/rest/orders`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ n }),
      signal: AbortSignal.timeout(120_000),
    })
    const text = await answer.text()
    if (answer.status === 201) {
      written.add((JSON.parse(text) as { id: string }).id)
      return true
    }
    failures.push(`${new Date().toISOString()} ${answer.status} ${text.slice(0, 200)}`)
  } catch (err) {
    const { message, cause } = err as Error
    failures.push(`${new Date().toISOString()} ${message} ${(cause as Error | undefined)?.message}`)
  }
  return false
}

function isSame(expected: string, shown: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(shown)]
  return a.length === b.length && timingSafeEqual(a, b)
}
