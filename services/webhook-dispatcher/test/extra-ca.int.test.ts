import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, expect, it } from '@jest/globals'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { openReceiver } from '@surehook/scripts/receiver/receiver'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { patienceMs } from '@surehook/testing/until'
import { systemHostNames } from '../src/attempt/dns/host-names.ts'
import { Poster } from '../src/attempt/http/post.ts'

const publicRoots = getCACertificates('default')
afterAll(() => setDefaultCACertificates(publicRoots))

it('trusts the extra authority besides the system’s roots, and nobody else', async () => {
  const [known, extra, stranger] = await Promise.all([
    createCertificates(),
    createCertificates(),
    createCertificates(),
  ])
  setDefaultCACertificates([...publicRoots, known.ca])
  await using poster = new Poster({
    guard: new AddressGuard(['127.0.0.0/8', '::1/128'], systemHostNames({ timeoutMs: patienceMs })),
    extraCa: [extra.ca],
    timeoutMs: patienceMs,
    connectionsPerOrigin: 1,
    maxPools: 10,
  })
  const outcomes = []
  for (const certificates of [known, extra, stranger]) {
    await using receiver = await openReceiver(certificates)
    const result = await poster.post({
      tenant: 't',
      url: receiver.url('/'),
      headers: {},
      body: Buffer.from('{}'),
    })
    outcomes.push(result.kind === 'responded' ? result.status : result.errorClass)
  }
  expect(outcomes).toEqual([204, 204, 'tls'])
})
