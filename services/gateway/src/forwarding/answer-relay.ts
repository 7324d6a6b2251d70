import { type AppError, reasonOf, unavailable } from '@surehook/service-kit/errors'
import { discardRest } from '@surehook/service-kit/http/discard-rest'
import { sendProblem } from '@surehook/service-kit/http/problem'
import { contextOf } from '@surehook/service-kit/http/request/request-context'
import type { Request, Response } from 'express'
import type { Dispatcher } from 'undici'
import { responseHeaders } from './response-headers.ts'

type Controller = Dispatcher.DispatchController

/** Called for a request of which nothing was sent. Returns whether it will be sent again. */
export type SendAgain = (err: Error) => boolean

export type AnswerOptions = {
  req: Request
  res: Response
  /** Disposed when the upstream's connection is free again. */
  slot: Disposable
  sendAgain: SendAgain
  /** A client that reads nothing of its answer for this long is disconnected. */
  maxUnreadMs?: number | undefined
}

/** The default of `maxUnreadMs`: until then such a client occupies a connection to the upstream. */
const defaultMaxUnreadMs = 30_000

/**
 * Relays the upstream's answer as it arrives. Head and body of a small one are written in one
 * piece.
 */
export class AnswerRelay implements Dispatcher.DispatchHandler {
  readonly #req: Request
  readonly #res: Response
  readonly #slot: Disposable
  readonly #sendAgain: SendAgain
  readonly #maxUnreadMs: number
  #controller: Controller | undefined
  #unread: NodeJS.Timeout | undefined

  constructor(options: AnswerOptions) {
    const { req, res, slot, sendAgain, maxUnreadMs = defaultMaxUnreadMs } = options
    this.#req = req
    this.#res = res
    this.#slot = slot
    this.#sendAgain = sendAgain
    this.#maxUnreadMs = maxUnreadMs
    res.once('close', () => {
      clearTimeout(this.#unread)
      this.#abort('The client left, or has an answer of ours')
    })
  }

  /** Sends the gateway's own answer instead of the upstream's. */
  refuse(problem: AppError): void {
    sendProblem(this.#res, problem)
    this.#abort('The request was refused')
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#res.closed || this.#res.writableEnded) this.#abort('There is nobody to answer')
  }

  onResponseStart(controller: Controller, status: number): void {
    if (status < 200 || this.#res.headersSent) return
    this.#res.writeHead(status, this.#headers(controller))
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#res.writableEnded || this.#res.write(chunk)) return
    controller.pause()
    this.#unread = setTimeout(() => this.#res.destroy(), this.#maxUnreadMs)
    this.#res.once('drain', () => {
      clearTimeout(this.#unread)
      controller.resume()
    })
  }

  onResponseEnd(): void {
    this.#controller = undefined
    this.#slot[Symbol.dispose]()
    if (!this.#res.writableEnded) this.#res.end()
    if (this.#req.complete) return
    // The upstream answered before the whole body was read, so the rest is discarded.
    this.#req.unpipe()
    discardRest(this.#req)
  }

  /** The upstream was unreachable, broke off or took too long. */
  onResponseError(_controller: Controller, err: Error): void {
    // Either the gateway itself has answered, or the client has left.
    const isAnswered = this.#res.writableEnded || this.#res.closed
    const { log } = contextOf(this.#res)
    if (!isAnswered && this.#controller === undefined && this.#sendAgain(err)) {
      log.warn({ reason: reasonOf(err) }, 'upstream.unreached')
      return
    }
    this.#slot[Symbol.dispose]()
    if (isAnswered) return
    log.warn({ reason: reasonOf(err) }, 'upstream.failed')
    sendProblem(this.#res, unavailable('no answer from upstream', err))
    if (this.#req.complete) return
    this.#req.unpipe()
    discardRest(this.#req)
  }

  /** The headers of upstream. `Vary` also keeps what the gateway has set. */
  #headers({ rawHeaders }: Controller): string[] {
    const headers = responseHeaders(rawHeaders)
    const vary = this.#res.getHeader('Vary')
    if (vary !== undefined) headers.push('Vary', String(vary))
    return headers
  }

  #abort(reason: string): void {
    this.#controller?.abort(new Error(reason))
  }
}
