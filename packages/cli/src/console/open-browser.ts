import { spawn } from 'node:child_process'
import { writeRedirectFile } from './redirect-file.ts'

type Opener = { file: string; args: readonly string[] }

/**
 * Returns what opens a file in the user's browser. No shell reads its path. `null`: a machine
 * without a desktop has no browser to open.
 */
export function openerOf(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): ((path: string) => Opener) | null {
  if (platform === 'darwin') return (path) => ({ file: 'open', args: [path] })
  // `start` is a word of the shell cmd.exe. This is what it calls.
  if (platform === 'win32') {
    return (path) => ({ file: 'rundll32', args: ['url.dll,FileProtocolHandler', path] })
  }
  const isDesktop = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'].some((name) => env[name])
  return isDesktop ? (path) => ({ file: 'xdg-open', args: [path] }) : null
}

/** Some openers run as long as the browser. One that has not failed by then has opened it. */
const patienceMs = 2_000

/** How long a browser may take to start. */
const startMs = 30_000

/**
 * Opens a URL that no other user of the machine may see. Resolves with false if there is no
 * browser, or none could be opened.
 */
export async function openBrowser(
  url: string,
  env: NodeJS.ProcessEnv,
  { platform = process.platform, lifetimeMs = startMs } = {},
): Promise<boolean> {
  const openerFor = openerOf(platform, env)
  if (openerFor === null) return false
  const page = await writeRedirectFile(url, lifetimeMs)
  const isOpen = await run(openerFor(page.path), env)
  if (!isOpen) await page.remove()
  return isOpen
}

async function run(opener: Opener, env: NodeJS.ProcessEnv): Promise<boolean> {
  const child = spawn(opener.file, opener.args, { env, stdio: 'ignore', detached: true })
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
  const waiting = Promise.withResolvers<boolean>()
  const patience = setTimeout(() => waiting.resolve(true), patienceMs)
  try {
    return await Promise.race([ended, waiting.promise])
  } finally {
    clearTimeout(patience)
    child.unref()
  }
}
