import { setTimeout as sleep } from 'node:timers/promises'
import {
  ConnectionError,
  NotFoundError,
  RateLimitError,
  type RequestOptions,
  ServerError,
  type Surehook,
} from '@surehook/client'
import { backoffMs } from '@surehook/service-kit/backoff'
import { reasonOf } from '@surehook/service-kit/errors'
import { visible } from '../output/visible.ts'
import type { TailSource } from './delivery-tail.ts'

const pageSize = 1_000
const backoff = { firstMs: 1_000, longestMs: 15_000 }

export type RetryingSource = TailSource & {
  /** The time until now that went into failed requests and the pauses after them. */
  readonly outageMs: number
}

type Request = { signal: AbortSignal; note(line: string): void }

/**
 * Asks the platform, and repeats a request until the platform answers. So no page is read twice.
 * The first request is not repeated: a platform that never answered is more likely a wrong URL.
 */
export function retryingSource(
  { deliveries }: Surehook,
  { signal, note }: Request,
): RetryingSource {
  const options: RequestOptions = { signal }
  let hasAnswered = false
  let outageMs = 0

  async function ask<T>(send: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      const startedAt = performance.now()
      try {
        const answer = await send()
        hasAnswered = true
        if (failures > 0) note('connected again')
        return answer
      } catch (err) {
        if (signal.aborted || !hasAnswered) throw err
        if (!isTransient(err)) {
          // A refusal is an answer too.
          if (failures > 0) note('connected again')
          throw err
        }
        if (failures === 0) note(visible(`${reasonOf(err)}: trying again`))
      }
      await sleep(backoffMs(failures + 1, backoff), undefined, { signal })
      outageMs += performance.now() - startedAt
    }
  }

  return {
    get outageMs() {
      return outageMs
    },
    async *search(query) {
      for (let asked = { limit: pageSize, ...query }; ; ) {
        const { deliveries: found, nextCursor } = await ask(() => deliveries.search(asked, options))
        yield* found
        if (nextCursor === null) return
        asked = { ...asked, cursor: nextCursor }
      }
    },
    async get({ webhookId, id }) {
      try {
        return await ask(() => deliveries.get(webhookId, id, options))
      } catch (err) {
        if (err instanceof NotFoundError) return null
        throw err
      }
    },
  }
}

const isTransient = (err: unknown): boolean =>
  err instanceof ConnectionError || err instanceof ServerError || err instanceof RateLimitError
