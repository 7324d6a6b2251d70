import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '../../errors.ts'
import { problemOf } from '../problem.ts'
import { endRequest, lateBody } from './end-request.ts'

type Exchange = { req: IncomingMessage; res: ServerResponse }

/** Milliseconds for which a client may read the last response before its connection is cut. */
const maxReadMs = 5_000

/**
 * Ends connections whose newest request is malformed or did not arrive in time. Only that request
 * gets the error. A connection without a request closes silently, and earlier responses are sent
 * first.
 */
export class BrokenRequests {
  readonly #newest = new WeakMap<Duplex, Exchange>()
  readonly #refused = new WeakSet<Duplex>()

  /**
   * True if a handler may serve the request. After a refusal it may serve no later request of the
   * connection.
   */
  admits(req: IncomingMessage, res: ServerResponse): boolean {
    if (this.#refused.has(req.socket)) return false
    this.#newest.set(req.socket, { req, res })
    return true
  }

  /**
   * Handles the server's `clientError`, which Node emits again for every further malformed chunk.
   */
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

/** The error that Node itself uses for a late head, for heads that end early. */
export const lateHead = () =>
  Object.assign(new Error('The head is late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

const isLate = ({ code }: NodeJS.ErrnoException) => code === 'ERR_HTTP_REQUEST_TIMEOUT'

/** Node measures the time of the first request from the connect, even if no byte has arrived. */
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

/** A request without a complete head reaches no handler, but gets a response of the same form. */
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
