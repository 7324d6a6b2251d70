import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from '@jest/globals'
import { leaveSilentBrokers } from './silent-broker.ts'

type Connection = {
  connect(): Promise<unknown>
  send(call: object): Promise<unknown>
  isConnected(): boolean
}

const internal = createRequire(import.meta.url)
const Connection = internal('kafkajs/src/network/connection')
const Cluster = internal('kafkajs/src/cluster')
const Encoder = internal('kafkajs/src/protocol/encoder')
const createSocketFactory = internal('kafkajs/src/network/socketFactory')

const quiet = () => ({ debug() {}, error() {}, warn() {}, info() {}, namespace: quiet })

/** A broker that takes connections and says nothing. */
async function openSilence() {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.resume()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connection: Connection = new Connection({
    ...{ host: '127.0.0.1', port, logger: quiet(), socketFactory: createSocketFactory() },
    ...{ requestTimeout: 100, enforceRequestTimeout: true, connectionTimeout: 1_000 },
  })
  await connection.connect()
  return {
    port,
    connection,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const request = {
  request: { apiKey: 3, apiVersion: 1, apiName: 'Metadata', encode: async () => new Encoder() },
  response: { decode: async () => ({}), parse: async () => ({}) },
}

it('hangs up on a broker that leaves a request unanswered, for all who wait for it', async () => {
  leaveSilentBrokers()
  await using silence = await openSilence()
  const { connection } = silence
  const patient = connection.send({ ...request, requestTimeout: 60_000 })
  const refused = patient.catch((err: unknown) => String(err))
  await expect(connection.send(request)).rejects.toThrow('timed out')
  expect(await refused).toContain('timed out')
  expect(connection.isConnected()).toBe(false)
})

it('asks the others who leads by now, once for each silence', async () => {
  leaveSilentBrokers()
  await using silence = await openSilence()
  await expect(silence.connection.send(request)).rejects.toThrow('timed out')
  let asked = 0
  const brokers = { 1: { connectionPool: { host: '127.0.0.1', port: silence.port } } }
  const cluster = Object.assign(Object.create(Cluster.prototype), {
    brokerPool: { brokers, findBroker: async () => brokers[1] },
    refreshMetadata: async () => void asked++,
  })
  await cluster.findBroker({ nodeId: '1' })
  await cluster.findBroker({ nodeId: '1' })
  expect(asked).toBe(1)
})

it('asks nobody because of a broker of another cluster', async () => {
  leaveSilentBrokers()
  await using silence = await openSilence()
  await expect(silence.connection.send(request)).rejects.toThrow('timed out')
  const brokers = { 1: { connectionPool: { host: '127.0.0.1', port: 1 } } }
  const cluster = Object.assign(Object.create(Cluster.prototype), {
    brokerPool: { brokers, findBroker: async () => brokers[1] },
    refreshMetadata: async () => {
      throw new Error('nothing to ask')
    },
  })
  await expect(cluster.findBroker({ nodeId: '1' })).resolves.toBe(brokers[1])
})
