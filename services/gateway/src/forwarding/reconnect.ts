/** A replica that has just gone may still be among those that are offered: another connection may lead to another one. */
const waitsMs = [20, 100, 300]
const withinMs = 4_000
const noConnection: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Sends a request again for which there was no connection; of one that was begun nobody knows how far it came. */
export class Reconnect {
  readonly #waitsMs = [...waitsMs]
  #send: (() => void) | undefined
  #startedAt = 0

  /** What sends it, as often as it is called. Without, nothing is sent again. */
  by(send: () => void): void {
    this.#send = send
    this.#startedAt = performance.now()
  }

  /** Whether it is sent again after this error. */
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
