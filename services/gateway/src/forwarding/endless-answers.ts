import type { ServerResponse } from 'node:http'

/** Answers that may never end. */
export class EndlessAnswers {
  readonly #open = new Set<ServerResponse>()

  add(res: ServerResponse): void {
    this.#open.add(res)
    res.once('close', () => this.#open.delete(res))
  }

  /**
   * Cuts the connections, so that no client takes a partial page for a complete one. Clients
   * reconnect with their last cursor.
   */
  end(): void {
    for (const res of this.#open) res.destroy()
  }
}
