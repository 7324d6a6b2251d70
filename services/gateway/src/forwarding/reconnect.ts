/**
 * Waits before each new connection: a replica that has just stopped may still be offered, and
 * another connection may reach another replica.
 */
const waitsMs = [20, 100, 300]
const withinMs = 4_000
const noConnection: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

/**
 * Repeats requests that got no connection. A request that was begun is never repeated, because the
 * upstream may have processed it.
 */
export class Reconnect {
  readonly #waitsMs = [...waitsMs]
  #send: (() => void) | undefined
  #startedAt = 0

  /** Sets the function that sends the request. Without it nothing is sent again. */
  by(send: () => void): void {
    this.#send = send
    this.#startedAt = performance.now()
  }

  /** Returns whether the request will be sent again after this error. */
  after(err: Error): boolean {
    const send = this.#send
    if (send === undefined || !('code' in err && noConnection.has(err.code))) return false
    if (performance.now() - this.#startedAt > withinMs) return false
    const waitMs = this.#waitsMs.shift()
    if (waitMs === undefined) return false
    setTimeout(send, waitMs)
    return true
  }
}
