import { AppError } from '@surehook/service-kit/errors'

/** How many reads of a tenant may wait behind the running one. */
const maxWaiting = 4

/**
 * Runs one expensive read per tenant at a time, so that heavy use by one tenant delays only that
 * tenant. Throws `RATE_LIMIT_EXCEEDED` when too many wait.
 */
export class TenantQueue {
  readonly #lines = new Map<string, { waiting: number; last: Promise<unknown> }>()

  async take<T>(
    { projectId, environment }: { projectId: string; environment: string },
    work: () => Promise<T>,
  ): Promise<T> {
    const key = `${projectId}/${environment}`
    const line = this.#lines.get(key) ?? { waiting: 0, last: Promise.resolve() }
    if (line.waiting > maxWaiting) {
      throw new AppError('RATE_LIMIT_EXCEEDED', 'Too many reads of this environment wait', {
        retryAfterS: 1,
      })
    }
    this.#lines.set(key, line)
    line.waiting += 1
    const turn = line.last.then(work)
    line.last = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      line.waiting -= 1
      if (line.waiting === 0) this.#lines.delete(key)
    }
  }
}
