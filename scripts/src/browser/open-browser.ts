import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { cacheDir } from '../lib/paths.ts'

const run = promisify(execFile)
const chromiumPackage = '@sparticuz/chromium'
const unpackedWithinMs = 120_000
const startsWithinMs = 60_000

/**
 * The browser of `CHROME_PATH`, else Chromium of npm for Linux on x64. Throws when it cannot start.
 */
export async function openBrowser(env: NodeJS.ProcessEnv): Promise<Browser> {
  const named = env['CHROME_PATH']
  const { path: executablePath, libraries } = named
    ? { path: named, libraries: undefined }
    : await unpackedChromium()
  return chromium.launch({
    executablePath,
    // Containers and CI have neither user namespaces nor a user other than root.
    chromiumSandbox: false,
    timeout: startsWithinMs,
    env: { ...definedIn(env), ...(libraries && { LD_LIBRARY_PATH: libraries }) },
  })
}

/**
 * Kept in `.local/cache`, once for each version. It brings the few libraries that it needs besides
 * those of C.
 */
async function unpackedChromium(): Promise<{ path: string; libraries: string }> {
  const dir = `${cacheDir}/chromium-${await versionOfChromium()}`
  if (!existsSync(dir)) {
    const partial = `${dir}.${process.pid}`
    await mkdir(partial, { recursive: true })
    const script = `${import.meta.dirname}/unpack-chromium.ts`
    // The package unpacks the libraries where this variable asks for those of Amazon Linux 2023.
    const env = { ...process.env, TMPDIR: partial, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' }
    await run(process.execPath, [script, import.meta.resolve(chromiumPackage)], {
      env,
      timeout: unpackedWithinMs,
    })
    await rename(partial, dir).catch(async (err: unknown) => {
      // Another process was faster.
      await rm(partial, { recursive: true })
      if (!existsSync(dir)) throw err
    })
  }
  return { path: `${dir}/chromium`, libraries: `${dir}/al2023/lib` }
}

async function versionOfChromium(): Promise<string> {
  const manifest = new URL('../package.json', import.meta.resolve(chromiumPackage))
  return (JSON.parse(await readFile(manifest, 'utf8')) as { version: string }).version
}

const definedIn = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value = null]) => (value === null ? [] : [[name, value]])),
  )
