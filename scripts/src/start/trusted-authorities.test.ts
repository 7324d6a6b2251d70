import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { createCertificates } from '../receiver/certificates.ts'
import { ensureDemoCa } from '../receiver/demo-ca.ts'
import { openTestReceiver } from './test-receiver.ts'
import { trustedAuthorities } from './trusted-authorities.ts'

async function openDir() {
  const dir = await mkdtempDisposable(join(tmpdir(), 'surehook-authorities-'))
  const demoCa = await ensureDemoCa(join(dir.path, 'demo-ca'))
  const files = { caFile: demoCa.caFile, target: join(dir.path, 'authorities.pem') }
  return { dir, demoCa, files }
}

it('trusts the demo CA', async () => {
  const { dir, files } = await openDir()
  await using _ = dir
  expect(await trustedAuthorities({}, files)).toEqual({ WEBHOOK_EXTRA_CA_FILE: files.caFile })
})

it('trusts the test receiver beside an authority of the environment', async () => {
  const { dir, demoCa, files } = await openDir()
  await using _ = dir
  const given = join(dir.path, 'given.pem')
  const own = await createCertificates()
  await writeFile(given, own.ca.trimEnd())
  const { WEBHOOK_EXTRA_CA_FILE } = await trustedAuthorities(
    { WEBHOOK_EXTRA_CA_FILE: given },
    files,
  )
  await using receivers = new AsyncDisposableStack()
  for (const keys of [demoCa, await writeServer(dir.path, own)]) {
    const { url } = receivers.use(await openTestReceiver(keys, 0))
    const request = get(url, { ca: readFileSync(WEBHOOK_EXTRA_CA_FILE), agent: false })
    const [answer] = await once(request, 'response')
    expect(answer.statusCode).toBe(204)
  }
})

it('names a file that cannot be read', async () => {
  const { dir, files } = await openDir()
  await using _ = dir
  const env = { WEBHOOK_EXTRA_CA_FILE: join(dir.path, 'missing.pem') }
  await expect(trustedAuthorities(env, files)).rejects.toThrow(
    /^WEBHOOK_EXTRA_CA_FILE cannot be read: ENOENT.*missing\.pem/,
  )
})

async function writeServer(dir: string, { cert, key }: { cert: string; key: string }) {
  const files = { certificateFile: join(dir, 'own.pem'), keyFile: join(dir, 'own.key') }
  await writeFile(files.certificateFile, cert)
  await writeFile(files.keyFile, key)
  return files
}
