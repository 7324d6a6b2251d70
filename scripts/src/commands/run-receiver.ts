import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { newSecret } from 'surehook/lib/new-secret'
import { localDir, repoRoot, state } from '../lib/paths.ts'
import { isFree } from '../lib/ports.ts'
import { ensureDemoCa } from '../receiver/demo-ca.ts'
import { receiverVariables } from '../receiver/receiver-variables.ts'

/**
 * `npm run receiver`: runs the sample receiver at an address that the system of `npm start` trusts.
 */
const secretFile = `${localDir}/receiver-secret`
const { PORT, ...variables } = receiverVariables(process.env, {
  demoCa: await ensureDemoCa(state.demoCaDir),
  secret: await keptSecret(),
  inbox: `${localDir}/inbox`,
})
if (await isFree(Number(PORT))) await run()
else {
  const next = Number(PORT) + 1
  console.error(`port ${PORT} is taken; choose another: RECEIVER_PORT=${next} npm run receiver`)
  process.exitCode = 1
}

async function run(): Promise<void> {
  process.env = { ...process.env, ...variables, PORT }
  console.log(`url     https://localhost:${PORT}/`)
  for (const secret of JSON.parse(variables.WEBHOOK_SECRETS)) console.log(`secret  ${secret}`)
  console.log(`inbox   ${variables.INBOX}`)
  await import(`${repoRoot}/docs/guides/receivers/typescript/receiver.ts`)
}

/** The secret is the same at each start, so that an existing subscription stays valid. */
async function keptSecret(): Promise<string> {
  if (existsSync(secretFile)) return (await readFile(secretFile, 'utf8')).trim()
  const made = newSecret()
  await mkdir(localDir, { recursive: true })
  await writeFile(secretFile, `${made}\n`, { mode: 0o600 })
  return made
}
