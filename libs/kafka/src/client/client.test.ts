import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import { expect, it } from '@jest/globals'
import { createLogger } from '@surehook/service-kit/telemetry/log'
import { createKafka } from './client.ts'

const internal = createRequire(import.meta.url)
const ConnectionPool = internal('kafkajs/src/network/connectionPool')
const Encoder = internal('kafkajs/src/protocol/encoder')
const createSocketFactory = internal('kafkajs/src/network/socketFactory')

const quiet = () => ({ debug() {}, error() {}, warn() {}, info() {}, namespace: quiet })
const whatItSpeaks = {
  request: { apiKey: 18, apiVersion: 1, apiName: 'ApiVersions', encode: async () => new Encoder() },
  response: { decode: async () => ({}), parse: async () => ({}) },
}

it('leaves an unresponsive broker, with all patches applied', async () => {
  const options = {
    brokers: ['127.0.0.1:1'],
    clientId: 'test',
    log: createLogger('test', 'silent'),
  }
  for (const _ of ['the first client', 'another one']) createKafka(options)
  await using open = new AsyncDisposableStack()
  const server = open.use(createServer((socket) => open.defer(() => void socket.destroy())))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connections = new ConnectionPool({
    ...{ host: '127.0.0.1', port: (server.address() as AddressInfo).port, logger: quiet() },
    ...{ requestTimeout: 100, enforceRequestTimeout: true, connectionTimeout: 1_000 },
    socketFactory: createSocketFactory(),
  })
  await expect(connections.send(whatItSpeaks)).rejects.toMatchObject({
    name: 'KafkaJSConnectionError',
  })
})
