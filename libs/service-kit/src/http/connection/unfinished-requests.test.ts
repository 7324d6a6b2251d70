import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from '@jest/globals'
import { UnfinishedRequests } from './unfinished-requests.ts'

const atMost = 1_024

/** A request with an endless body from a client that keeps its connection open. */
function unfinishedRequest() {
  const socket = new Socket()
  const req = new IncomingMessage(socket)
  req.headers['transfer-encoding'] = 'chunked'
  return { socket, req, res: new ServerResponse(req) }
}

it('answers each surplus request of a client once, and gives it time to read the answer', () => {
  using unfinished = new UnfinishedRequests(20_000)
  const requests = Array.from({ length: atMost + 80 }, unfinishedRequest)
  for (const { req, res } of requests) unfinished.add(req, res, 'client')
  const answered = requests.map(({ res }) => res.writableEnded)
  expect(answered.indexOf(false)).toBe(80)
  expect(answered.lastIndexOf(true)).toBe(79)
  expect(requests.some(({ socket }) => socket.destroyed)).toBe(false)
})
