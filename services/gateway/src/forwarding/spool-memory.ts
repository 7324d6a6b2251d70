import { unavailable } from '@surehook/service-kit/errors'

const maxBytes = 64 * 1024 * 1024
const maxClientBytes = maxBytes / 4

/** What one request has spooled. Disposing gives it back. */
export type SpoolShare = Disposable & {
  /** @throws SERVICE_UNAVAILABLE when too much is spooled already, for this client or in all */
  add(bytes: number): void
}

/** Bounds what spooled bodies take: 64 MiB in all, a quarter of it for one client. */
export class SpoolMemory {
  readonly #byClient = new Map<string, number>()
  #bytes = 0

  shareOf(client: string): SpoolShare {
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
        if (this.#bytes + bytes > maxBytes || ofClient > maxClientBytes) {
          throw unavailable('no memory is left for bodies that are still arriving')
        }
        take(bytes)
      },
      [Symbol.dispose]: () => take(-mine),
    }
  }
}
