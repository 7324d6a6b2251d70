import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { openAuthClient } from './support/auth-client.ts'
import { openWorld, type Running, type World } from './support/under-test.ts'

let world: World
let service: Running

beforeAll(async () => {
  world = await openWorld()
  service = await world.startService()
})
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

const beginningFor = (projectId: string) =>
  `POST /auth/login HTTP/1.1\r\nHost: g\r\nX-Project-Id: ${projectId}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`

it('leaves others their answers while 1,030 bodies of one address never end, without a gateway', async () => {
  const client = await openAuthClient(service.api)
  const beginning = beginningFor(client.projectId)
  const sockets: Socket[] = []
  const begin = async () => {
    const socket = connect(Number(new URL(service.api).port), '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => socket.destroy())
    await once(socket, 'connect')
    await new Promise((resolve) => socket.write(beginning, resolve))
    return socket
  }
  try {
    const [answer] = (await Promise.all([
      begin().then((oldest) => once(oldest, 'data')),
      ...Array.from({ length: 1_029 }, begin),
    ])) as [[Buffer], ...Socket[]]
    expect(String(answer[0])).toMatch(/^HTTP\/1\.1 408 /)
    for (let n = 0; n < 10; n++) {
      expect((await client.send('GET .well-known/jwks.json')).status).toBe(200)
    }
    expect((await client.newUser()).accessToken).toEqual(expect.any(String))
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})
