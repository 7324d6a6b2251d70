import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root of the checkout. `src/lib` and `dist/lib` have the same depth. */
export const repoRoot = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '')

/** False in an image, which was built with everything and holds no sources. */
export const isCheckout = existsSync(`${repoRoot}/turbo.json`)

export const localDir = `${repoRoot}/.local`

/** Downloads, which `npm run reset` keeps and every stack of this checkout shares. */
export const cacheDir = `${localDir}/cache`

/** State that `npm start` keeps between runs. */
export const state = {
  stackDir: `${localDir}/stack`,
  systemDir: `${localDir}/system`,
  secretsFile: `${localDir}/secrets.json`,
  demoCaDir: `${localDir}/demo-ca`,
  /** The authorities of WEBHOOK_EXTRA_CA_FILE, and the demo CA. */
  authoritiesFile: `${localDir}/receivers-ca.pem`,
  /** Logs and volume names of Kafka, registry, PostgreSQL and Redis in containers. */
  containersDir: `${localDir}/containers`,
  /** The files that docker-compose.yml reads. */
  composeDir: `${localDir}/compose`,
  /** Caught mails, if no mail server is set. */
  mailDir: `${localDir}/mail`,
  /** Written when everything is ready, and removed at the stop. */
  endpointsFile: `${localDir}/endpoints.json`,
}
