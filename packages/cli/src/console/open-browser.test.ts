import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { runCli } from '../cli/run-cli.ts'
import { commands } from '../commands/commands.ts'
import { openBrowser, openerOf } from './open-browser.ts'

const url = 'https://hooks.example/console/#code=a&b;c'
const page = '/tmp/a & b/console.html'

let dir: string
let env: NodeJS.ProcessEnv
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'surehook-browser-'))
  env = { PATH: dir, DISPLAY: ':0', XDG_CONFIG_HOME: dir }
})
afterEach(() => rmSync(dir, { recursive: true }))

/** A desktop whose opener writes its arguments into a file. Returns what other users see. */
function installOpener(exitCode = 0): () => string {
  const opened = join(dir, 'opened')
  for (const name of ['xdg-open', 'open']) {
    const file = join(dir, name)
    writeFileSync(file, `#!/bin/sh\nprintf '%s' "$*" > '${opened}'\nexit ${exitCode}\n`)
    chmodSync(file, 0o755)
  }
  return () => readFileSync(opened, 'utf8')
}

/** Where the page leads to. */
function targetOf(path: string): string {
  const text = /location\.replace\((".*")\)/.exec(readFileSync(path, 'utf8'))?.[1]
  return JSON.parse(text ?? '""') as string
}
const modeOf = (path: string) => statSync(path).mode & 0o777

describe('openerOf', () => {
  it.each([
    ['darwin', 'open', [page]],
    ['win32', 'rundll32', ['url.dll,FileProtocolHandler', page]],
    ['linux', 'xdg-open', [page]],
  ] as const)('gives the file to the opener of %s as one argument', (platform, file, args) => {
    expect(openerOf(platform, { DISPLAY: ':0' })?.(page)).toEqual({ file, args })
  })

  it('finds none on a machine without a desktop', () => {
    expect(openerOf('linux', {})).toBeNull()
  })
})

describe('openBrowser', () => {
  it('shows the URL to this user alone: a private file leads to it', async () => {
    const opened = installOpener()
    expect(await openBrowser(url, env, { platform: 'linux' })).toBe(true)
    expect(opened()).not.toContain('code')
    expect(targetOf(opened())).toBe(url)
    expect([modeOf(opened()), modeOf(dirname(opened()))]).toEqual([0o600, 0o700])
    rmSync(dirname(opened()), { recursive: true })
  })

  it('leads to a URL with any characters', async () => {
    const opened = installOpener()
    const odd = `https://hooks.example/'"</script><b>/#code=a`
    expect(await openBrowser(odd, env, { platform: 'linux' })).toBe(true)
    expect(targetOf(opened())).toBe(odd)
    expect(readFileSync(opened(), 'utf8').match(/</g)).toHaveLength(6)
    rmSync(dirname(opened()), { recursive: true })
  })

  it('removes the file, also if the command has ended by then', async () => {
    const opened = installOpener()
    expect(await openBrowser(url, env, { platform: 'linux', lifetimeMs: 1 })).toBe(true)
    while (existsSync(dirname(opened()))) await delay(10)
  })

  it('says so when there is no opener, or when it fails, and leaves no file', async () => {
    expect(await openBrowser(url, env, { platform: 'linux' })).toBe(false)
    const opened = installOpener(3)
    expect(await openBrowser(url, env, { platform: 'linux' })).toBe(false)
    expect(existsSync(dirname(opened()))).toBe(false)
    expect(await openBrowser(url, {}, { platform: 'linux' })).toBe(false)
  })
})

describe('surehook console', () => {
  type CodeRequest = { path: string | undefined; authorization: string | undefined; body: unknown }

  /** Runs the command against a gateway that answers a code. */
  async function open(variables: NodeJS.ProcessEnv, ...args: string[]) {
    const asked: CodeRequest[] = []
    await using server = createServer((req: IncomingMessage, res) => {
      void json(req).then((body) => {
        asked.push({ path: req.url, authorization: req.headers.authorization, body })
        res.writeHead(201, { 'content-type': 'application/json' })
        res.end(JSON.stringify({ code: 'c0de', expiresAt: '2026-01-01T00:00:30.000Z' }))
      })
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const out: string[] = []
    const notes: string[] = []
    const code = await runCli(commands, ['console', ...args], {
      env: { ...env, SUREHOOK_URL: baseUrl, ...variables },
      out: (line) => void out.push(line),
      note: (line) => void notes.push(line),
      signal: new AbortController().signal,
      now: Date.now,
    })
    return { code, asked, baseUrl, out: out.join('\n'), notes: notes.join('\n') }
  }

  const developer = { SUREHOOK_TOKEN: 'mt_secret', SUREHOOK_PROJECT: 'shop' }

  it('opens the URL with the code, and prints it', async () => {
    const opened = installOpener()
    const { code, asked, baseUrl, out, notes } = await open(developer)
    expect({ code, out }).toEqual({ code: 0, out: `${baseUrl}/console/#code=c0de` })
    expect(targetOf(opened())).toBe(out)
    expect(opened()).not.toContain('c0de')
    rmSync(dirname(opened()), { recursive: true })
    expect(notes).toContain('a developer of shop/master')
    expect(`${out}${notes}`).not.toContain('mt_secret')
    expect(asked).toEqual([
      {
        path: '/auth/console-codes',
        authorization: 'Bearer mt_secret',
        body: { project: 'shop', environment: 'master' },
      },
    ])
  })

  it('signs in the operator, and only prints with --no-open', async () => {
    const admin = { SUREHOOK_ADMIN_TOKEN: 'admin' }
    const { asked, baseUrl, out } = await open(admin, '--operator', '--no-open', '--json')
    const opened = { url: `${baseUrl}/console/#code=c0de`, opened: false }
    expect(JSON.parse(out)).toMatchObject(opened)
    expect(asked).toMatchObject([{ authorization: 'Bearer admin', body: {} }])
  })

  it('says that no browser could be opened', async () => {
    const { code, out, notes } = await open(developer)
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('#code=c0de') })
    expect(notes).toContain('open the URL yourself')
  })

  it('asks for the token of the operator', async () => {
    const { code, asked, notes } = await open({}, '--operator')
    expect({ code, asked }).toEqual({ code: 2, asked: [] })
    expect(notes).toContain('--admin-token-file')
  })
})
