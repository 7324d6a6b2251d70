import { readFileSync } from 'node:fs'

const packageFile = new URL('../../package.json', import.meta.url)

/** That of the package `surehook`. The file is the same distance away from `src/cli` and from `dist/cli`. */
export const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }
