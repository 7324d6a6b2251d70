import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { TLSSocket } from 'node:tls'
import { expect, test } from '@jest/globals'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { AddressGuard } from '@surehook/service-kit/outbound/address-guard'
import { Client } from 'pg'
import { sourceClient } from '../src/connection/source-client.ts'

test('a server with TLS that announces a message of 1 GB is left at once', async () => {
  const { ca, cert, key } = await createCertificates()
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('S')
      const secure = new TLSSocket(socket, { isServer: true, cert, key })
      // The client ends the connection.
      secure.on('error', () => undefined)
      secure.once('data', () => secure.write(Buffer.from([0x52, 0x40, 0, 0, 0, 0])))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const guard = new AddressGuard(['127.0.0.0/8', '::1/128'], {
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  const address = {
    ...{ host: 'localhost', port, user: 'a', password: 'b', database: 'c' },
    sslMode: 'verify-full' as const,
  }
  const limit = { bytes: 2 ** 26, onExceeded: () => undefined }
  const client = new Client(sourceClient({ address, ca, owner: 'p/e', limit }, guard))
  await expect(client.connect()).rejects.toThrow('more than 67108864 bytes')
  server.close()
})
