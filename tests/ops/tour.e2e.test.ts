import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { freePort } from '@surehook/scripts/lib/ports'
import { startMailCatcher } from '@surehook/scripts/mail/mail-catcher'
import { openWorld } from '../support/world.ts'

/** The page's delays but its cooldown of two minutes. */
const env = { WEBHOOK_RETRY_DELAYS: '1s,5s,30s,5m', WEBHOOK_CIRCUIT_COOLDOWN: '10s' }

let open: AsyncDisposableStack
/** A checkout as `npm start` leaves it, as far as the page looks at it. */
let checkout: string

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
})
afterAll(async () => open.disposeAsync())

it('README’s tour does what it says, and again when it is repeated', async () => {
  const commands = await commandsOfTour()
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
  }
}, 240_000)

const codesIn = (out: string) =>
  [...out.matchAll(/^\{"error":"([A-Z_]+)"/gm)].map(([, code]) => code)

async function commandsOfTour(): Promise<string> {
  const page = await readFile(`${repoRoot}/README.md`, 'utf8')
  const tour = page.slice(page.indexOf('\n## A tour\n'), page.indexOf('\n### What a user can do\n'))
  const blocks = [...tour.matchAll(/^```bash\n(.*?)^```$/gms)].map(([, block]) => block)
  return blocks
    .join('\n')
    .replaceAll('9443', String(await freePort()))
    .replace('sleep 125', 'sleep 13')
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
