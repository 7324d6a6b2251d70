import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join, relative, sep } from 'node:path'
import { type StoredFile, storedFile } from '../stored-file.ts'

const require = createRequire(import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Where the build of the console lies. */
export const builtConsole = (): string =>
  join(dirname(require.resolve('@surehook/console/package.json')), 'dist')

/** The files of a built console by their path below `/console/`, such as `index.html`. */
export type ConsoleFiles = ReadonlyMap<string, StoredFile>

/** What the console learns about the installation before anybody signs in. */
export type ConsoleSettings = { testReceiver: string | null }

/**
 * Reads the build into memory, and adds `settings.json`. A request can then reach no other file.
 * Returns null if nothing was built.
 */
export function readConsole(dir: string, settings: ConsoleSettings): ConsoleFiles | null {
  const names = namesIn(dir)
  if (!names.includes('index.html')) return null
  const files = names.map((name) => [name, fileOf(name, readFileSync(join(dir, name)))] as const)
  const settingsFile = fileOf('settings.json', Buffer.from(JSON.stringify(settings)))
  return new Map([...files, ['settings.json', settingsFile]])
}

function namesIn(dir: string): string[] {
  try {
    const entries = readdirSync(dir, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    return files.map(({ parentPath, name }) =>
      relative(dir, join(parentPath, name)).replaceAll(sep, '/'),
    )
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw err
  }
}

const fileOf = (name: string, bytes: Buffer): StoredFile =>
  storedFile(types[extname(name)] ?? 'application/octet-stream', bytes)
