import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { pino } from 'pino'
import { type Stand, startStand } from './gateway.ts'
import { rawGet } from './raw-request.ts'

const opened = new AsyncDisposableStack()
const script = `console.log(1)\n`.repeat(200)
let stand: Stand
let dir: string

beforeAll(async () => {
  dir = opened.adopt(await mkdtemp(join(tmpdir(), 'surehook-console-')), (path) =>
    rm(path, { recursive: true }),
  )
  await mkdir(join(dir, 'dist/assets'), { recursive: true })
  await writeFile(join(dir, 'dist/index.html'), '<!doctype html><title>Console</title>')
  await writeFile(join(dir, 'dist/assets/main-1a2b.js'), script)
  await writeFile(join(dir, 'secret.txt'), 'SECRET')
  const silent = pino({ level: 'silent' })
  stand = opened.use(await startStand({}, silent, { consoleDir: join(dir, 'dist') }))
})
afterAll(() => opened.disposeAsync())

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${stand.url}${path}`, { redirect: 'manual', ...init })

it.each(['/console/', '/console/webhooks', '/console/deliveries/a.b?status=paused'])(
  '%s is the page, which no browser keeps and no page frames',
  async (path) => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('<title>Console</title>')
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
  },
)

it('allows its own scripts only, none inline, and no frame around it', async () => {
  const policy = (await get('/console/')).headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|http|data:|\*/)
})

it('sends hashed files to be kept for ever, compressed when the browser can read that', async () => {
  const path = '/console/assets/main-1a2b.js'
  const zipped = await get(path, { headers: { 'accept-encoding': 'gzip' } })
  expect(await zipped.text()).toBe(script)
  expect(Object.fromEntries(zipped.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'gzip',
  })
  expect(Number(zipped.headers.get('content-length'))).toBeLessThan(200)
  expect(zipped.headers.get('vary')).toContain('Accept-Encoding')
  const plain = await get(path, { headers: { 'accept-encoding': 'br, gzip;q=0' } })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(Number(plain.headers.get('content-length'))).toBe(script.length)
})

it('answers 404 for a hashed file of another build, and 405 for writes', async () => {
  const gone = await get('/console/assets/main-0000.js')
  expect([gone.status, gone.headers.get('cache-control')]).toEqual([404, 'no-store'])
  const written = await get('/console/', { method: 'POST' })
  expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  const moved = await get('/console')
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '/console/'])
  const head = await get('/console/', { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
})

it.each(['/console/../secret.txt', '/console/%2e%2e/secret.txt', '/console/..%2fsecret.txt'])(
  '%s reaches no file outside the build',
  async (path) => {
    const { status, body } = await rawGet(stand.port, path)
    expect(status).toBe(400)
    expect(body).not.toContain('SECRET')
  },
)

it('tells the console of a test receiver only where there is one', async () => {
  const path = '/console/settings.json'
  const answer = await get(path)
  expect(answer.headers.get('content-type')).toContain('application/json')
  expect(await answer.json()).toEqual({ testReceiver: null })
  const testReceiver = 'https://localhost:9444/'
  const silent = pino({ level: 'silent' })
  const consoleDir = join(dir, 'dist')
  await using other = await startStand({ CONSOLE_TEST_RECEIVER: testReceiver }, silent, {
    consoleDir,
  })
  expect(await (await fetch(`${other.url}${path}`)).json()).toEqual({ testReceiver })
})

it('starts without a build, and says so in the log and at the path', async () => {
  const lines: string[] = []
  const log = createLogger('test', 'warn', { write: (line) => void lines.push(line) })
  await using bare = await startStand({}, log, { consoleDir: join(dir, 'nothing') })
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
    'console.missing',
  ])
  const answer = await fetch(`${bare.url}/console/`)
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: 'NOT_FOUND', message: 'The console was not built' },
  ])
  expect((await fetch(`${bare.url}/healthz`)).status).toBe(200)
})
