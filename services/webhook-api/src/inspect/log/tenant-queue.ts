import { AppError } from '@surehook/service-kit/errors'

/** Looks at the log that a tenant may have waiting besides the one that is under way. */
const maxWaiting = 4

/**
 * One look at the log of a tenant at a time: they follow each other, so that who asks much waits for
 * itself. Throws `RATE_LIMIT_EXCEEDED` when too many wait.
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
      throw new AppError('RATE_LIMIT_EXCEEDED', 'The log is being read for this environment', {
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
