import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { localDir, repoRoot, state } from '../lib/paths.ts'
import { ensureDemoCa } from '../receiver/demo-ca.ts'

/**
 * `npm run receiver`: runs the sample receiver at an address that the system of `npm start` trusts.
 */
const secretFile = `${localDir}/receiver-secret`
const { certificateFile, keyFile } = await ensureDemoCa(state.demoCaDir)
const secret = await keptSecret()
const env = {
  PORT: '9443',
  INBOX: `${localDir}/inbox`,
  TLS_CERT: certificateFile,
  TLS_KEY: keyFile,
  WEBHOOK_SECRETS: JSON.stringify([secret]),
}
process.env = { ...env, ...process.env }
console.log(`url     https://localhost:${process.env['PORT']}/`)
if (process.env['WEBHOOK_SECRETS'] === env.WEBHOOK_SECRETS) console.log(`secret  ${secret}`)
console.log(`inbox   ${process.env['INBOX']}`)
await import(`${repoRoot}/docs/guides/receivers/typescript/receiver.ts`)

/** The secret is the same at each start, so that an existing subscription stays valid. */
async function keptSecret(): Promise<string> {
  if (existsSync(secretFile)) return (await readFile(secretFile, 'utf8')).trim()
  const made = `whsec_${randomBytes(24).toString('base64')}`
  await mkdir(localDir, { recursive: true })
  await writeFile(secretFile, `${made}\n`, { mode: 0o600 })
  return made
}
