import { unavailable } from '@surehook/service-kit/errors'

export type SpoolLimits = { totalBytes: number; clientBytes: number }

const defaultLimits: SpoolLimits = {
  totalBytes: 64 * 1024 * 1024,
  clientBytes: 16 * 1024 * 1024,
}

/** What one request has spooled. Disposing gives it back. */
export type SpoolShare = Disposable & {
  /** @throws SERVICE_UNAVAILABLE when too much is spooled already, for this client or in all */
  add(bytes: number): void
}

/** Bounds what spooled bodies take: by default 64 MiB in all, a quarter of it for one client. */
export class SpoolMemory {
  readonly #limits: SpoolLimits
  readonly #byClient = new Map<string, number>()
  #bytes = 0

  constructor(limits = defaultLimits) {
    this.#limits = limits
  }

  shareOf(client: string): SpoolShare {
    const { totalBytes, clientBytes } = this.#limits
    let mine = 0
    const take = (bytes: number) => {
      const ofClient = (this.#byClient.get(client) ?? 0) + bytes
      if (ofClient === 0) this.#byClient.delete(client)
      else this.#byClient.set(client, ofClient)
      this.#bytes += bytes
      mine += bytes
    }
    return {
      add: (bytes) => {
        const ofClient = (this.#byClient.get(client) ?? 0) + bytes
        if (this.#bytes + bytes > totalBytes || ofClient > clientBytes) {
          throw unavailable('no memory is left for bodies that are still arriving')
        }
        take(bytes)
      },
      [Symbol.dispose]: () => take(-mine),
    }
  }
}
