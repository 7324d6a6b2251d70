import { setTimeout as sleep } from 'node:timers/promises'
import type { Tenant } from '@surehook/scripts/client/tenant'

const pauseMs = 100

/** Changes a webhook again and again, and measures for how long it is refused. */
export class ManagementWatch implements AsyncDisposable {
  readonly statuses: Record<string, number> = {}
  /** The longest time without a success. */
  longestMs = 0
  readonly #tenant: Tenant
  readonly #id: string
  readonly #stop = new AbortController()
  readonly #watching: Promise<void>

  /** @param id a webhook that nobody else changes */
  constructor(tenant: Tenant, id: string) {
    this.#tenant = tenant
    this.#id = id
    this.#watching = this.#watch()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#watching
  }

  async #watch(): Promise<void> {
    let succeededAt = performance.now()
    for (let nth = 0; !this.#stop.signal.aborted; nth++) {
      const { status } = await this.#tenant.webhooks(`PATCH /${this.#id}`, { name: `name ${nth}` })
      this.statuses[status] = (this.statuses[status] ?? 0) + 1
      const now = performance.now()
      this.longestMs = Math.max(this.longestMs, now - succeededAt)
      if (status === 200) succeededAt = now
      await sleep(pauseMs)
    }
  }
}
