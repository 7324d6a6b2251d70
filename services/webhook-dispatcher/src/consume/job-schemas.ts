import { setTimeout as wait } from 'node:timers/promises'
import { type EventCodec, UndecodableError } from '@surehook/schemas/codec'
import type { Logger } from 'pino'

type Message = { value: Buffer | null }

export type JobSchemasOptions = { codec: Pick<EventCodec, 'job'>; log: Logger }

const decodeAgainMs = 500
/** More schema ids than this come only from garbage: there are a few versions of the schema. */
const mostMet = 1_000

/**
 * The known versions of the job's schema. The first job of another version waits until the registry
 * has returned that version, because its tenant is unknown before.
 */
export class JobSchemas {
  readonly #options: JobSchemasOptions
  readonly #met = new Set<number>()

  constructor(options: JobSchemasOptions) {
    this.#options = options
  }

  /**
   * Resolves once each message is decodable or known to be undecodable. Returns undefined if that
   * is already so.
   */
  whenMet(messages: readonly Message[], lease: AbortSignal): Promise<void> | undefined {
    const unmet = new Map<number, Buffer>()
    for (const { value } of messages) {
      const id = schemaIdOf(value)
      if (value !== null && id !== undefined && !this.#met.has(id)) unmet.set(id, value)
    }
    return unmet.size === 0 ? undefined : this.#meet(unmet, lease)
  }

  async #meet(unmet: ReadonlyMap<number, Buffer>, lease: AbortSignal): Promise<void> {
    if (this.#met.size > mostMet) this.#met.clear()
    for (const [id, value] of unmet) {
      while (!lease.aborted && !(await this.#isKnown(value))) await wait(decodeAgainMs)
      if (!lease.aborted) this.#met.add(id)
    }
  }

  /** Resolves to true if the message is decodable, or can never be. */
  async #isKnown(value: Buffer): Promise<boolean> {
    try {
      await this.#options.codec.job.decode(value)
      return true
    } catch (err) {
      if (err instanceof UndecodableError) return true
      this.#options.log.warn({ err }, 'schema.retry')
      return false
    }
  }
}

/** Returns the schema id of the Confluent wire format, or undefined for other bytes. */
function schemaIdOf(value: Buffer | null): number | undefined {
  return value !== null && value.length >= 5 && value[0] === 0 ? value.readUInt32BE(1) : undefined
}
