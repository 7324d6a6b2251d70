import { readFileSync } from 'node:fs'

const packageFile = new URL('../../package.json', import.meta.url)

/**
 * Version of the package `surehook`. `src/cli` and `dist/cli` have the same relative path to the
 * file.
 */
export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
