import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { signingKeys } from '@surehook/matching/signed-headers'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { UsageError } from 'surehook/cli/command'
import { forward } from 'surehook/listen/forward'
import { receiverTls, receiverUrl } from 'surehook/listen/receiver-address'

it('a listening command posts over TLS with a certificate that its option names, or with any', async () => {
  const { ca, cert, key } = await createCertificates({ names: ['localhost'] })
  await using server = createServer({ cert, key }, (_req, res) => res.writeHead(204).end())
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const to = receiverUrl(`https://localhost:${(server.address() as AddressInfo).port}`)
  const change = { cursor: 'a', headers: { 'x-service-event': 'INSERT' }, body: '{}' }
  const keys = signingKeys(`whsec_${Buffer.alloc(32).toString('base64')}`)
  const { signal } = new AbortController()
  const sent = (tls = receiverTls(undefined, false)) =>
    forward(change, { to, tls, signal, timeoutMs: 10_000, keys })
  const refused = await sent()
  expect([refused.status, refused.error]).toEqual([null, expect.stringContaining('--insecure')])
  const file = join(await mkdtemp(join(tmpdir(), 'ca-')), 'ca.pem')
  await writeFile(file, ca)
  expect(await sent(receiverTls(file, undefined))).toMatchObject({ status: 204 })
  expect(await sent(receiverTls(undefined, true))).toMatchObject({ status: 204 })
  expect(() => receiverTls(`${file}x`, undefined)).toThrow(UsageError)
})
