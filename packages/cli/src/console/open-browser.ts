import { spawn } from 'node:child_process'

type Opener = { file: string; args: readonly string[] }

/**
 * The program that opens a URL in the user's browser. No shell reads the URL. `null`: a machine
 * without a desktop has no browser to open.
 */
export function openerOf(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  url: string,
): Opener | null {
  if (platform === 'darwin') return { file: 'open', args: [url] }
  // `start` is a word of the shell cmd.exe. This is what it calls.
  if (platform === 'win32') return { file: 'rundll32', args: ['url.dll,FileProtocolHandler', url] }
  const isDesktop = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'].some((name) => env[name])
  return isDesktop ? { file: 'xdg-open', args: [url] } : null
}

/** Some openers run as long as the browser. One that has not failed by then has opened it. */
const patienceMs = 2_000

/** Resolves with false if there is no browser, or none could be opened. */
export async function openBrowser(
  url: string,
  env: NodeJS.ProcessEnv,
  platform = process.platform,
): Promise<boolean> {
  const opener = openerOf(platform, env, url)
  if (opener === null) return false
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
