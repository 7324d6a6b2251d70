import { existsSync } from 'node:fs'
import { repoRoot } from '../lib/paths.ts'

/**
 * Sets the variables of `.env` beside `docker-compose.yml`, like Compose. Existing variables stay.
 */
export function readEnvFile(): void {
  const file = `${repoRoot}/.env`
  if (existsSync(file)) process.loadEnvFile(file)
}
