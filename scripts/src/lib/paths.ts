import { fileURLToPath } from 'node:url'

/** The checkout. The same distance away from `src/lib` and from `dist/lib`. */
export const repoRoot = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '')

/** Downloads, kept by `npm run reset` and shared by every stack of this checkout. */
export const cacheDir = `${repoRoot}/.local/cache`
