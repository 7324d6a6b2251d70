import { fileURLToPath } from 'node:url'

/** The checkout. The same distance away from `src/lib` and from `dist/lib`. */
export const repoRoot = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '')

export const localDir = `${repoRoot}/.local`

/** Downloads, kept by `npm run reset` and shared by every stack of this checkout. */
export const cacheDir = `${localDir}/cache`

/** What `npm start` keeps between runs. */
export const state = {
  stackDir: `${localDir}/stack`,
  systemDir: `${localDir}/system`,
  secretsFile: `${localDir}/secrets.json`,
  demoCaDir: `${localDir}/demo-ca`,
  /** Kafka, registry, PostgreSQL and Redis in containers: logs, and which volumes are theirs. */
  containersDir: `${localDir}/containers`,
  /** What docker-compose.yml reads. */
  composeDir: `${localDir}/compose`,
  /** What would have been mailed, when no mail server is named. */
  mailDir: `${localDir}/mail`,
  /** Written when everything is ready, removed when it stops. */
  endpointsFile: `${localDir}/endpoints.json`,
}
