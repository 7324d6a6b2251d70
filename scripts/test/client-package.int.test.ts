import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { repoRoot } from '../src/lib/paths.ts'
import { bundleForBrowsers } from '../src/published/browser-bundle.ts'
import { type InstalledPackages, installPackages } from '../src/published/installed-packages.ts'

let installed: InstalledPackages

beforeAll(async () => {
  installed = await installPackages(['client'])
})
afterAll(async () => {
  await installed?.[Symbol.asyncDispose]()
})

it('the client has no dependency', async () => {
  const lock = JSON.parse(await readFile(join(installed.dir, 'package-lock.json'), 'utf8')) as {
    packages: object
  }
  expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/@surehook/client'])
})

it('the client takes at most 15 kB', async () => {
  const bundle = await bundleForBrowsers(`export * from '@surehook/client'`, installed.dir)
  const bytes = gzipSync(bundle).length
  expect(bytes).toBeGreaterThan(1_000)
  expect(bytes).toBeLessThanOrEqual(15_000)
})

const program = `
import { type ChangeEvent, NotFoundError, Surehook } from '@surehook/client'

interface Order { customer: string; total: string }
const surehook = new Surehook({ baseUrl: 'https://x.example', projectId: 'shop', token: () => 't' })
const orders = surehook.table<Order>('orders')
export async function main(signal: AbortSignal): Promise<string> {
  // @ts-expect-error: a field has the wrong type
  const wrong = () => orders.create({ customer: 1, total: '1' })
  try {
    const { id, createdAt } = await orders.create({ customer: 'Ada', total: '1' }, { signal })
    const all: string[] = (await orders.create([{ customer: 'Ida', total: '2' }])).map((o) => o.id)
    return [id, createdAt, ...all, wrong.name].join()
  } catch (err) {
    if (err instanceof NotFoundError) return err.code
    throw err
  }
}
export async function first(): Promise<ChangeEvent<Order> | undefined> {
  for await (const change of surehook.stream<Order>({ events: ['INSERT'] })) return change
  return undefined
}
`

it.each([
  ['node16', 'node', ['es2023']],
  ['node16', 'browser', ['es2023', 'dom', 'dom.asynciterable']],
  ['bundler', 'browser', ['es2022', 'dom']],
  ['bundler', 'node', ['es2022']],
])('strict TypeScript with %s for a %s accepts it', async (moduleResolution, platform, lib) => {
  const module = moduleResolution === 'bundler' ? 'preserve' : 'node16'
  const types = platform === 'node' ? ['node'] : []
  const compilerOptions = {
    target: 'es2022',
    module,
    moduleResolution,
    lib,
    types,
    typeRoots: [`${repoRoot}/node_modules/@types`],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: platform === 'node',
    noEmit: true,
  }
  await installed.write('main.ts', program)
  await installed.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  await installed.run('tsc', '-p', '.')
})
