import type { ServerResponse } from 'node:http'

/** The answers that may never end. */
export class EndlessAnswers {
  readonly #open = new Set<ServerResponse>()

  add(res: ServerResponse): void {
    this.#open.add(res)
    res.once('close', () => this.#open.delete(res))
  }

  /**
   * Cuts them, so that no client takes a page that is there in part for a whole one. Clients come
   * back with the cursor that they have.
   */
  end(): void {
    for (const res of this.#open) res.destroy()
  }
}
