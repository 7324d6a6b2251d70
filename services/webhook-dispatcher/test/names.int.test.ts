import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { type Certificates, createCertificates } from '@surehook/scripts/receiver/certificates'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { openRedis } from '@surehook/service-kit/redis/client'
import { pino } from 'pino'
import { systemHostNames } from '../src/attempt/dns/host-names.ts'
import { Poster } from '../src/attempt/http/post.ts'
import { Circuit } from '../src/endpoint/circuit.ts'
import { CircuitStore } from '../src/endpoint/circuit-store.ts'
import { NameServer } from './support/name-server.ts'
import { ProtocolReceiver } from './support/protocol-receiver.ts'

const log = pino({ level: 'silent' })
const threshold = 5
/** Ends the attempts that get no answer. Others must come to an end before. */
const limits = { timeoutMs: 5_000, connectionsPerOrigin: 64, maxPools: 10 }
const here = { addresses: ['127.0.0.1'], ttl: 1 }
/** The shortest retry delay. */
const firstRetryMs = 1_000

let certificates: Certificates
let open: AsyncDisposableStack
let names: NameServer
let receiver: ProtocolReceiver
let poster: Poster
let circuit: Circuit

beforeAll(async () => {
  certificates = await createCertificates({ names: ['receiver.example'] })
})
beforeEach(async () => {
  open = new AsyncDisposableStack()
  names = open.use(await NameServer.open(() => here))
  receiver = open.use(await ProtocolReceiver.open(certificates, 'HTTP/1.1 alone'))
  const known = systemHostNames({ ...limits, servers: [names.address] })
  const guard = new AddressGuard(['127.0.0.0/8'], known)
  poster = open.use(new Poster({ guard, extraCa: [certificates.ca], ...limits }))
  const signal = new AbortController().signal
  const redis = open.adopt(
    await openRedis({ url: process.env['TEST_REDIS_URL'] ?? '', log, signal }),
    (client) => client.destroy(),
  )
  const store = new CircuitStore(redis, { forgetAfterMs: 60_000, log })
  const identity = { endpointId: randomUUID(), webhookId: null }
  circuit = new Circuit(identity, { store, threshold, cooldownMs: 60_000 }, () => {})
  open.defer(() => circuit.dispose())
})
afterEach(() => open.disposeAsync())

async function attempt() {
  const url = `https://receiver.example:${receiver.port}/`
  const exchange = { tenant: 't', url, headers: {}, body: Buffer.from('{}') }
  const result = await poster.post(exchange)
  await circuit.record(result)
  return result
}

const many = (count: number) => Promise.all(Array.from({ length: count }, attempt))
const failures = (count: number) =>
  Array.from({ length: count }, () => ({ kind: 'unreachable', errorClass: 'dns' }))

it('a failed lookup counts once for the circuit, and the first retry asks again', async () => {
  names.answer = () => 'SERVFAIL'
  expect(await many(32)).toMatchObject(failures(32))
  expect(circuit.isOpen).toBe(false)
  names.answer = () => here
  await wait(firstRetryMs)
  const retries = await many(32)
  expect(retries.filter((retry) => retry.kind === 'unreachable')).toEqual([])
})

it('a silent name server counts once for all attempts that waited for it', async () => {
  names.answer = () => 'silence'
  expect(await many(32)).toMatchObject(failures(32))
  expect(circuit.isOpen).toBe(false)
})

it('five lookups that fail in a row open the circuit', async () => {
  names.answer = () => 'SERVFAIL'
  for (let nth = 1; nth < threshold; nth++) expect(await many(8)).toMatchObject(failures(8))
  expect(circuit.isOpen).toBe(false)
  expect(await attempt()).toMatchObject({ errorClass: 'dns' })
  expect(circuit.isOpen).toBe(true)
})

it('an address is cached for its TTL', async () => {
  // Each attempt needs a new connection.
  receiver.behave = (res) => void res.writeHead(204, { connection: 'close' }).end()
  names.answer = () => ({ addresses: ['127.0.0.1'], ttl: 60 })
  for (let nth = 0; nth < 5; nth++) expect(await attempt()).toMatchObject({ status: 204 })
  expect(names.asked).toEqual(['receiver.example'])
})

it('a receiver that moves is found again after the TTL', async () => {
  receiver.behave = (res) => void res.writeHead(204, { connection: 'close' }).end()
  names.answer = () => ({ addresses: ['127.0.0.2'], ttl: 1 })
  expect(await attempt()).toMatchObject({ errorClass: 'refused' })
  names.answer = () => here
  await wait(firstRetryMs)
  expect(await attempt()).toMatchObject({ status: 204 })
})
