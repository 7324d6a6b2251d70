import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { Agent } from 'undici'
import { startReceiver } from './receiver.ts'

it('waits for deliveries, not for requests, and says what is missing', async () => {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'bench-receiver-'))
  const { ca, cert, key } = await createCertificates()
  const tls = { key: join(dir.path, 'key.pem'), cert: join(dir.path, 'cert.pem') }
  await writeFile(tls.key, key)
  await writeFile(tls.cert, cert)
  await using receiver = await startReceiver(tls)
  const dispatcher = new Agent({ connect: { ca } })
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => dispatcher.close())
  const send = async (id: string) => {
    const { origin } = new URL(receiver.url('/'))
    const headers = { 'webhook-id': id }
    const { body } = await dispatcher.request({ origin, path: '/', method: 'POST', headers })
    await body.dump()
  }
  for (const id of ['a', 'b', 'b']) await send(id)
  expect(await receiver.waitFor(3, 0)).toMatchObject({ unique: 2, repeated: 1, missing: 1 })
  await receiver.reset()
  for (const id of ['a', 'c']) await send(id)
  expect(await receiver.waitFor(1, 5_000)).toMatchObject({ unique: 1, repeated: 1, missing: 0 })
})
