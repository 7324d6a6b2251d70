// Posts what its parent sends, in a separate process, which can be stopped without stopping the
// test.
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { systemHostNames } from '../../src/attempt/dns/host-names.ts'
import { type Exchange, Poster } from '../../src/attempt/http/post.ts'

export type PostingSettings = { ca: string; timeoutMs: number; servers: string[] }

const { ca, timeoutMs, servers } = JSON.parse(process.argv[2] ?? '') as PostingSettings
const poster = new Poster({
  guard: new AddressGuard(['127.0.0.0/8', '::1/128'], systemHostNames({ timeoutMs, servers })),
  extraCa: [ca],
  timeoutMs,
  connectionsPerOrigin: 8,
  maxPools: 10,
})

process.on('message', ({ body, ...exchange }: Omit<Exchange, 'body'> & { body: string }) => {
  void poster
    .post({ ...exchange, body: Buffer.from(body) })
    .then((result) => process.send?.(result))
})
process.send?.('ready')
