import { unavailable } from '@surehook/service-kit/errors'

export type SpoolLimits = { totalBytes: number; clientBytes: number }

const defaultLimits: SpoolLimits = {
  totalBytes: 64 * 1024 * 1024,
  clientBytes: 16 * 1024 * 1024,
}

/** The spooled bytes of one request. Disposing returns them. */
export type SpoolShare = Disposable & {
  /** @throws SERVICE_UNAVAILABLE if this client, or all clients together, have spooled too much */
  add(bytes: number): void
}

/**
 * Bounds the memory of spooled bodies: by default 64 MiB in all, and a quarter of that per client.
 */
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
