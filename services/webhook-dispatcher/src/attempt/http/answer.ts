import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { reportStatusTo } from './answer-filter.ts'

/** The bytes of an answer that are read and stored. */
const answerLimit = 4096

/** `isCut`: the text is not whole. `retryAfter`: the header, if there was one. */
export type ExchangeResult =
  | { status: number; text: string; isCut: boolean; retryAfter: string | undefined }
  | { error: unknown }

/**
 * Receives one answer from undici's parser, without a stream. The status counts as soon as its line
 * has arrived, even if what follows is malformed, breaks off or takes too long: the receiver has
 * the delivery.
 */
export class Answer implements Dispatcher.DispatchHandler {
  readonly #answered = Promise.withResolvers<ExchangeResult>()
  #controller: Dispatcher.DispatchController | null = null
  #status: number | null = null
  #retryAfter: string | undefined
  #text: Buffer[] = []
  #size = 0
  #ended = false

  get answered(): Promise<ExchangeResult> {
    return this.#answered.promise
  }

  /** Stops waiting: the part that has arrived counts, and the connection is closed. */
  giveUp(reason: Error): void {
    if (this.#ended) return
    this.#end(reason)
    this.#controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    reportStatusTo((status) => {
      this.#status ??= status
    })
    // The attempt ended while it waited for a connection, so nothing may be sent any more.
    if (this.#ended) controller.abort(new Error('given up'))
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status
    // A receiver may wrongly send several of these headers. The first counts.
    const [retryAfter] = [headers['retry-after']].flat()
    this.#retryAfter = retryAfter
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) return
    this.#text.push(chunk)
    this.#size += chunk.length
    if (this.#size > answerLimit) this.giveUp(new Error('its text is too long'))
  }

  onResponseEnd(): void {
    this.#end(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, err: unknown): void {
    this.#end(err)
  }

  #end(error: unknown): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#status === null) this.#answered.resolve({ error })
    else {
      const [status, text, retryAfter] = [this.#status, this.#readText(), this.#retryAfter]
      this.#answered.resolve({ status, text, isCut: error !== null, retryAfter })
    }
  }

  #readText(): string {
    if (this.#size === 0) return ''
    const bytes = this.#text.length === 1 ? this.#text[0] : Buffer.concat(this.#text)
    const text = bytes?.subarray(0, answerLimit).toString('utf8') ?? ''
    return text.replaceAll('\0', '\uFFFD')
  }
}
