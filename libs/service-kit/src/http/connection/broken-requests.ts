import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '../../errors.ts'
import { problemOf } from '../problem.ts'
import { endRequest, lateBody } from './end-request.ts'

type Exchange = { req: IncomingMessage; res: ServerResponse }

/** A client has so long to read the last answer before its connection is cut. */
const maxReadMs = 5_000

/**
 * Ends connections whose newest request is malformed or did not arrive in time. The error goes to that request and to no
 * other: a connection without a request closes silently, and answers to earlier requests leave first.
 */
export class BrokenRequests {
  readonly #newest = new WeakMap<Duplex, Exchange>()
  readonly #refused = new WeakSet<Duplex>()

  /** Whether a handler may serve the request: not after an earlier part of the connection was refused. */
  admits(req: IncomingMessage, res: ServerResponse): boolean {
    if (this.#refused.has(req.socket)) return false
    this.#newest.set(req.socket, { req, res })
    return true
  }

  /** For the server's `clientError`, which comes again with each further piece of what is malformed. */
  refuse(err: NodeJS.ErrnoException, socket: Duplex): void {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    const newest = this.#newest.get(socket)
    if (err.code === 'ECONNRESET' || !socket.writable || hasNoRequest(err, socket)) socket.destroy()
    else if (newest === undefined || newest.res.closed) answer(socket, problemOfHead(err))
    else if (!newest.req.complete) endRequest(newest, isLate(err) ? lateBody() : malformed())
    else newest.res.once('close', () => answer(socket, problemOfHead(err)))
  }
}

/** As Node's own, for a connection whose head is not waited for any longer. */
export const lateHead = () =>
  Object.assign(new Error('The head is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

const isLate = ({ code }: NodeJS.ErrnoException) => code === 'ERR_HTTP_REQUEST_TIMEOUT'

/** Node times a connection's first request from the moment that it connects, even if no byte of it comes. */
function hasNoRequest(err: NodeJS.ErrnoException, socket: Duplex): boolean {
  return isLate(err) && socket instanceof Socket && socket.bytesRead === 0
}

function problemOfHead(err: NodeJS.ErrnoException): AppError {
  if (isLate(err)) {
    return new AppError('REQUEST_TIMEOUT', 'The head of the request did not arrive in time')
  }
  return err.code === 'HPE_HEADER_OVERFLOW'
    ? malformed('The address and the headers of the request are too long')
    : malformed()
}

function malformed(message = 'The request is not valid HTTP'): AppError {
  const violations = [{ field: 'request', message, rule: 'invalid_format' }] as const
  return new AppError('VALIDATION_ERROR', message, { violations })
}

/** What has no complete head reaches no handler: it gets the same form of answer all the same. */
function answer(socket: Duplex, problem: AppError): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify(problemOf(problem))
  const head = [
    problem.status === 408 ? 'HTTP/1.1 408 Request Timeout' : 'HTTP/1.1 400 Bad Request',
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const cut = setTimeout(() => socket.destroy(), maxReadMs).unref()
  socket.once('close', () => clearTimeout(cut))
}
