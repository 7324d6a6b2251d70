import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { repoRoot } from '../src/lib/paths.ts'
import { bundleForBrowsers } from '../src/published/browser-bundle.ts'
import { type InstalledPackages, installPackages } from '../src/published/installed-packages.ts'

let installed: InstalledPackages

beforeAll(async () => {
  installed = await installPackages(['auth'])
})
afterAll(async () => {
  await installed?.[Symbol.asyncDispose]()
})

it('the package has no dependency, and takes at most 6.6 kB', async () => {
  const lock = JSON.parse(await readFile(join(installed.dir, 'package-lock.json'), 'utf8')) as {
    packages: object
  }
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@surehook/auth'])
  const bundle = await bundleForBrowsers(`export * from '@surehook/auth'`, installed.dir)
  const bytes = gzipSync(bundle).length
  expect(bytes).toBeGreaterThan(1_000)
  expect(bytes).toBeLessThanOrEqual(6_600)
})

const program = `
import { type AuthChange, AuthError, SurehookAuth } from '@surehook/auth'

const storage = new Map<string, string>()
const auth = new SurehookAuth({
  baseUrl: 'https://x.example',
  projectId: 'shop',
  storage: {
    getItem: (key) => storage.get(key) ?? null,
    setItem: (key, value) => storage.set(key, value),
    removeItem: async (key) => storage.delete(key),
  },
  lock: (_name, task) => task(),
})
export async function main(signal: AbortSignal): Promise<string> {
  // @ts-expect-error: the password is missing
  const wrong = () => auth.login({ email: 'ada@example.com' })
  const off: () => void = auth.onChange((change: AuthChange) => {
    if (change.type === 'signedOut') console.log(change.reason, wrong.name)
    else console.log(change.user.roles)
  })
  try {
    const { email } = await auth.login({ email: 'a@b.c', password: 'p' }, { signal })
    const answer = await auth.fetch('/gw/api/rest/orders', { signal })
    return email + String(answer.status)
  } catch (err) {
    if (err instanceof AuthError) return err.violations.map(({ field }) => field).join()
    throw err
  } finally {
    off()
  }
}
`

/** The browser's own storage and locks fit. */
const inBrowsers = `
export const webLocked = new SurehookAuth({
  baseUrl: 'https://x.example',
  projectId: 'shop',
  storage: localStorage,
  lock: (name, task) => navigator.locks.request(name, task),
})
`

it.each([
  ['node16', 'node', ['es2023']],
  ['bundler', 'browser', ['es2022', 'dom']],
])('strict TypeScript with %s for a %s accepts it', async (moduleResolution, platform, lib) => {
  const compilerOptions = {
    target: 'es2022',
    module: moduleResolution === 'bundler' ? 'preserve' : 'node16',
    moduleResolution,
    lib,
    types: platform === 'node' ? ['node'] : [],
    typeRoots: [`${repoRoot}/node_modules/@types`],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: platform === 'node',
    noEmit: true,
  }
  await installed.write('main.ts', platform === 'node' ? program : program + inBrowsers)
  await installed.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  await installed.run('tsc', '-p', '.')
})
