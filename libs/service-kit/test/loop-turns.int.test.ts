import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals'
import { defineOperation } from '@surehook/contracts/operation'
import { mount } from '@surehook/service-kit/http/mount'
import { LoopTurns } from '@surehook/service-kit/slots/loop-turns'
import * as z from 'zod'
import { closeServers, put, putThing, serve, valid } from './things.ts'

it('lets many new connections in between two turns', async () => {
  const count = 40
  const turns = new LoopTurns()
  let pieces = 0
  let accepted = 0
  const allAccepted = Promise.withResolvers<number>()
  const server = createServer((socket) => {
    socket.destroy()
    if (++accepted === count) allAccepted.resolve(pieces)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (let i = 0; i < count; i++) connect(port, '127.0.0.1').on('error', () => {})
  const piece = async () => {
    await turns.next('many')
    pieces++
  }
  const work = Array.from({ length: 2 * count }, piece)
  expect(await allAccepted.promise).toBeLessThan(count / 2)
  await Promise.all(work)
  server.close()
})

const listThings = defineOperation({
  ...{ tag: 't', security: 'none', summary: 's', description: 'd', errors: [] },
  id: 'listThings',
  method: 'get',
  path: '/things',
  query: z.strictObject({ count: z.coerce.number() }),
  reply: { status: 200, schema: z.object({ things: z.array(z.number()) }) },
})

let owners: unknown[]
beforeEach(() => {
  owners = []
  const { next } = LoopTurns.prototype
  jest.spyOn(LoopTurns.prototype, 'next').mockImplementation(function (this: LoopTurns, ...of) {
    owners.push(of[0])
    return next.apply(this, of)
  })
})
afterEach(async () => {
  jest.restoreAllMocks()
  await closeServers()
})

const serveAll = (owner?: string) =>
  serve(
    (router) => {
      mount(router, putThing, {
        authorize(context) {
          context.owner = owner
        },
        handle: ({ params, query }) => ({ id: params.id, limit: query.limit }),
      })
      mount(router, listThings, ({ query }) => ({
        things: Array.from({ length: query.count }, (_, n) => n),
      }))
    },
    { bodyLimitBytes: 100_000 },
  )

const withValues = (count: number) =>
  JSON.stringify({ ...valid, extra: { list: Array<number>(count).fill(0) } })
const body = (length: number) => JSON.stringify({ ...valid, extra: { text: 'x'.repeat(length) } })

it('a large body waits for a turn of its client, or of the owner that sends it', async () => {
  const anyone = await serveAll()
  expect((await put(anyone, { body: body(1_000) })).status).toBe(201)
  expect(owners).toEqual([])
  expect((await put(anyone, { body: body(50_000) })).status).toBe(201)
  expect((await put(await serveAll('shop'), { body: body(50_000) })).status).toBe(201)
  expect(owners).toEqual(['client/127.0.0.1', 'owner/shop'])
})

it('a small body of many values waits for a turn', async () => {
  const url = await serveAll()
  await put(url, { body: withValues(900) })
  expect(owners).toEqual([])
  await put(url, { body: withValues(1_100) })
  expect(owners).toEqual(['client/127.0.0.1'])
})

it('a long answer to a GET waits for a turn', async () => {
  const url = await serveAll()
  for (const count of [50, 51]) {
    const answer = await fetch(`${url}/things?count=${count}`)
    expect(((await answer.json()) as { things: unknown[] }).things).toHaveLength(count)
  }
  expect(owners).toEqual(['client/127.0.0.1'])
})
