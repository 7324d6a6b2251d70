import { existsSync } from 'node:fs'
import { repoRoot } from '../lib/paths.ts'

/** Takes over what Compose would take from `.env` beside `docker-compose.yml`: what is set already stays. */
export function readEnvFile(): void {
  const file = `${repoRoot}/.env`
  if (existsSync(file)) process.loadEnvFile(file)
}
