import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { freePort } from '@surehook/scripts/lib/ports'
import { startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { until } from '../support/until.ts'
import { openWorld } from '../support/world.ts'

/** The pages' delays but its cooldown of two minutes. */
const env = { WEBHOOK_RETRY_DELAYS: '1s,5s,30s,5m', WEBHOOK_CIRCUIT_COOLDOWN: '10s' }

let open: AsyncDisposableStack
/** A checkout as `npm start` and `npm run receiver` leave it, as far as the pages look at it. */
let checkout: string
let receiverPort: number

const secret = `whsec_${randomBytes(24).toString('base64')}`

/** In the order in which a reader goes through them, in one terminal. */
const pages = [
  { file: 'README.md', from: '## Your first webhook', to: '## Receive webhooks' },
  { file: 'docs/guides/tour.md' },
  { file: 'docs/guides/data-api.md' },
  { file: 'docs/guides/authentication.md', to: '## What a user can do' },
]

beforeAll(async () => {
  open = new AsyncDisposableStack()
  checkout = open.adopt(await mkdtemp(join(tmpdir(), 'surehook-tour-')), (path) =>
    rm(path, { recursive: true }),
  )
  const local = join(checkout, '.local')
  await mkdir(join(local, 'demo-ca'), { recursive: true })
  await mkdir(join(local, 'mail'))
  const catcher = open.use(await startMailCatcher({ dir: join(local, 'mail') }))
  const world = open.use(await openWorld({ env: { ...env, SMTP_URL: catcher.url } }))
  const { baseUrl, adminToken } = world.system
  const { key, cert } = world.certificates
  await writeFile(join(local, 'endpoints.json'), JSON.stringify({ baseUrl, adminToken }))
  await writeFile(join(local, 'demo-ca/server.key'), key)
  await writeFile(join(local, 'demo-ca/server.pem'), cert)
  await writeFile(join(local, 'receiver-secret'), `${secret}\n`)
  await startReceiver()
})
afterAll(async () => open.disposeAsync())

it('README and the guides do what they say, and again when they are repeated', async () => {
  const commands = await commandsOfPages()
  for (const _round of [1, 2]) {
    const { code, out } = await bash(commands)
    expect({ code, errors: codesIn(out) }).toEqual({
      code: 0,
      // In the order of the comments that announce them: 400, 409, 409, 412, 403, 401, 401.
      errors: [
        'VALIDATION_ERROR',
        'CONFLICT',
        'CONFLICT',
        'PRECONDITION_FAILED',
        'FORBIDDEN',
        'AUTH_TOKEN_INVALID',
        'AUTH_TOKEN_INVALID',
      ],
    })
    const shown = out.replaceAll(/\s+/g, ' ')
    for (const status of ['paused', 'delivered']) {
      expect(shown).toContain(`[ ${Array.from({ length: 6 }, () => `'${status}'`).join(', ')} ]`)
    }
    expect(out).toContain('secret: new; 2 in webhook-signature')
    // README's own webhook arrived: the last command of its page prints the status alone.
    expect(out).toMatch(/^delivered$/m)
  }
}, 240_000)

const codesIn = (out: string) =>
  [...out.matchAll(/^\{"error":"([A-Z_]+)"/gm)].map(([, code]) => code)

async function commandsOfPages(): Promise<string> {
  const blocks = await Promise.all(pages.map(blocksOf))
  return blocks
    .flat()
    .filter((block) => block.trim() !== 'npm run receiver')
    .join('\n')
    .replaceAll('9443', String(receiverPort))
    .replaceAll('9444', String(await freePort()))
    .replace('sleep 125', 'sleep 13')
}

async function blocksOf({ file, from, to }: { file: string; from?: string; to?: string }) {
  const page = await readFile(`${repoRoot}/${file}`, 'utf8')
  const begin = from === undefined ? 0 : page.indexOf(`\n${from}\n`)
  const end = to === undefined ? page.length : page.indexOf(`\n${to}\n`)
  expect([begin, end]).not.toContain(-1)
  return [...page.slice(begin, end).matchAll(/^```bash\n(.*?)^```$/gms)].map(
    ([, block = '']) => block,
  )
}

/** The receiver of `npm run receiver`, with the certificate that this system trusts. */
async function startReceiver(): Promise<void> {
  receiverPort = await freePort()
  const local = join(checkout, '.local')
  const child = spawn(
    process.execPath,
    [`${repoRoot}/docs/guides/receivers/typescript/receiver.ts`],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        PORT: String(receiverPort),
        INBOX: join(local, 'inbox'),
        TLS_CERT: join(local, 'demo-ca/server.pem'),
        TLS_KEY: join(local, 'demo-ca/server.key'),
        WEBHOOK_SECRETS: JSON.stringify([secret]),
      },
    },
  )
  open.defer(() => void child.kill('SIGKILL'))
  await until(() => isListening(receiverPort))
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const answered = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return answered
}

async function bash(commands: string): Promise<{ code: number | null; out: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${commands}`], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  open.defer(() => endGroup(child.pid))
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code: child.exitCode, out }
}

/** Its receiver goes on where the tour was left half-way. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ESRCH') throw err
  }
}
