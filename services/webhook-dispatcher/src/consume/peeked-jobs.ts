import type { DeliveryJob } from '@surehook/contracts/events'
import type { EventCodec } from '@surehook/schemas/codec'

type Codec = Pick<EventCodec, 'job'>

/**
 * Decodes jobs before they are handed out. It keeps the last one, which is usually handed out next.
 */
export class PeekedJobs {
  readonly #codec: Codec
  #last: { value: Buffer; job: DeliveryJob } | null = null

  constructor(codec: Codec) {
    this.#codec = codec
  }

  /** Returns the job, or null if it can never be decoded. */
  peek(value: Buffer | null): DeliveryJob | null {
    const kept = this.kept(value)
    if (value === null || kept !== null) return kept
    const job = tryDecode(this.#codec, value)
    if (job instanceof Promise) job.catch(() => undefined)
    if (job === null || job instanceof Promise) return null
    this.#last = { value, job }
    return job
  }

  /** Returns the job if it was the last one. */
  kept(value: Buffer | null): DeliveryJob | null {
    return this.#last !== null && this.#last.value === value ? this.#last.job : null
  }

  /** Lets go of the last value, which would keep the whole fetch response in memory. */
  forget(): void {
    this.#last = null
  }
}

/** Returns null for a job that was refused when it was first read. */
export function tryDecode(codec: Codec, value: Buffer): DeliveryJob | Promise<DeliveryJob> | null {
  try {
    return codec.job.decode(value)
  } catch {
    return null
  }
}
