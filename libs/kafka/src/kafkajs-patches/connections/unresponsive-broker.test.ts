import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { beforeAll, expect, it } from '@jest/globals'
import { restoreMethods } from '../replace-methods.ts'
import { answeringFirst, dropUnresponsiveBrokers } from './unresponsive-broker.ts'

type Connections = { send(call: object): Promise<unknown>; isConnected(): boolean }

const internal = createRequire(import.meta.url)
const ConnectionPool = internal('kafkajs/src/network/connectionPool')
const Cluster = internal('kafkajs/src/cluster')
const Encoder = internal('kafkajs/src/protocol/encoder')
const createSocketFactory = internal('kafkajs/src/network/socketFactory')

const quiet = () => ({ debug() {}, error() {}, warn() {}, info() {}, namespace: quiet })

/** A broker that accepts connections and never answers. */
async function openSilence() {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.resume()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connections: Connections = new ConnectionPool({
    ...{ host: '127.0.0.1', port, logger: quiet(), socketFactory: createSocketFactory() },
    ...{ requestTimeout: 100, enforceRequestTimeout: true, connectionTimeout: 1_000 },
  })
  return {
    port,
    connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const request = (apiKey: number, requestTimeout?: number) => ({
  request: { apiKey, apiVersion: 1, apiName: 'any', encode: async () => new Encoder() },
  response: { decode: async () => ({}), parse: async () => ({}) },
  requestTimeout,
})
const fetch = 1
const metadata = 3
const apiVersions = 18

/** A cluster with one broker at this port. It counts its metadata refreshes. */
function clusterAt(port: number) {
  const broker = { connectionPool: { host: '127.0.0.1', port } }
  const brokerPool = { brokers: { 1: broker }, findBroker: async () => broker }
  const cluster = Object.assign(Object.create(Cluster.prototype), {
    brokerPool,
    asked: 0,
    async refreshMetadata() {
      cluster.asked++
    },
  })
  return cluster
}

beforeAll(() => {
  restoreMethods()
  dropUnresponsiveBrokers()
})

it('closes all connections to a broker that leaves a request unanswered', async () => {
  await using silence = await openSilence()
  const { connections } = silence
  const patient = [metadata, fetch].map(async (apiKey) =>
    connections.send(request(apiKey, 60_000)).catch(String),
  )
  await expect(connections.send(request(metadata))).rejects.toMatchObject({
    name: 'KafkaJSRequestTimeoutError',
  })
  for (const failed of await Promise.all(patient)) expect(failed).toContain('timed out')
  expect(connections.isConnected()).toBe(false)
})

it('reports one that does not answer ApiVersions as unreachable, and tries others first', async () => {
  await using silence = await openSilence()
  await expect(silence.connections.send(request(apiVersions))).rejects.toMatchObject({
    name: 'KafkaJSConnectionError',
  })
  const silent = `127.0.0.1:${silence.port}`
  expect(answeringFirst([silent, 'b:1', 'c:1'])).toEqual(['b:1', 'c:1', silent])
})

it('refreshes metadata before an unresponsive broker is used again, once per timeout', async () => {
  await using silence = await openSilence()
  await expect(silence.connections.send(request(metadata))).rejects.toThrow('timed out')
  const cluster = clusterAt(silence.port)
  await cluster.findBroker({ nodeId: '1' })
  await cluster.findBroker({ nodeId: '1' })
  expect(cluster.asked).toBe(1)
  while (silence.connections.isConnected()) await setImmediate()
  await expect(silence.connections.send(request(metadata))).rejects.toThrow('timed out')
  await cluster.findBroker({ nodeId: '1' })
  expect(cluster.asked).toBe(2)
})

it('does not refresh metadata for a broker of another cluster', async () => {
  await using silence = await openSilence()
  await expect(silence.connections.send(request(metadata))).rejects.toThrow('timed out')
  const cluster = clusterAt(1)
  await cluster.findBroker({ nodeId: '1' })
  expect(cluster.asked).toBe(0)
})
