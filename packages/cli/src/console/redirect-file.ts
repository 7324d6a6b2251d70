import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

export type RedirectFile = { path: string; remove(): Promise<void> }

/**
 * Writes a page that leads the browser to `url`. The process list shows the arguments of a browser
 * to every user of the machine, and only this user can read the page.
 * @param lifetimeMs how long the page stays, also after this process has ended
 */
export async function writeRedirectFile(url: string, lifetimeMs: number): Promise<RedirectFile> {
  const dir = await privateDirectory()
  const path = join(dir, 'console.html')
  await writeFile(path, pageTo(url), { mode: 0o600, flag: 'wx' })
  const remove = () => rm(dir, { recursive: true, force: true })
  // A starting browser may read the page after this process has ended.
  const remover = spawn(process.execPath, ['-e', removal, dir, String(lifetimeMs)], {
    detached: true,
    stdio: 'ignore',
    env: {},
  })
  remover.once('error', () => void remove())
  remover.unref()
  return { path, remove }
}

const removal =
  'const [, dir, ms] = process.argv; ' +
  'setTimeout(() => fs.rmSync(dir, { recursive: true, force: true }), Number(ms))'

/** On Linux, a browser from a snap reads neither /tmp nor hidden directories. */
async function privateDirectory(): Promise<string> {
  const make = (parent: string) => mkdtemp(join(parent, 'surehook-console-'))
  if (process.platform !== 'linux') return make(tmpdir())
  return make(homedir()).catch(() => make(tmpdir()))
}

const pageTo = (url: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Surehook</title>
<script>location.replace(${JSON.stringify(url).replaceAll('<', '\\u003c')})</script>
`
