import type { KafkaMessage } from '@surehook/kafka/client/surface'
import { type Change, readChange } from '@surehook/matching/read-change'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Tenant } from '../../tenants/tenant.ts'

type Codec = Pick<EventCodec, 'change'>

export const tenantKeyOf = ({ projectId, environment }: Tenant): string =>
  `${projectId}/${environment}`

/** A record of `changes`. The first stream that reads it decodes it, once for all. */
export class LoggedEntry {
  readonly offset: number
  readonly #message: KafkaMessage
  readonly #codec: Codec
  #change: Promise<Change | null> | null = null

  constructor(message: KafkaMessage, codec: Codec) {
    this.offset = Number(message.offset)
    this.#message = message
    this.#codec = codec
  }

  /**
   * Resolves with `null` if the record is not a change. Rejects with errors that a repetition may
   * cure.
   */
  change(): Promise<Change | null> {
    this.#change ??= this.#read()
    return this.#change
  }

  async #read(): Promise<Change | null> {
    try {
      const read = await readChange(this.#codec.change, this.#message)
      return 'change' in read ? read.change : null
    } catch (err) {
      this.#change = null
      throw err
    }
  }
}

const slash = 47

/**
 * Returns the tenant in a key of the form `project/environment/table/id`; `null` for other keys.
 */
function tenantKeyIn(key: Buffer | null): string | null {
  if (key === null) return null
  const first = key.indexOf(slash)
  const second = first < 0 ? -1 : key.indexOf(slash, first + 1)
  const third = second < 0 ? -1 : key.indexOf(slash, second + 1)
  return third < 0 ? null : key.toString('utf8', 0, second)
}

/** Groups records by tenant. It decodes only records whose keys have another form. */
export async function entriesByTenant(
  messages: readonly KafkaMessage[],
  codec: Codec,
): Promise<Map<string, LoggedEntry[]>> {
  const byTenant = new Map<string, LoggedEntry[]>()
  for (const message of messages) {
    if (message.value === null) continue
    const entry = new LoggedEntry(message, codec)
    const key = tenantKeyIn(message.key) ?? (await tenantKeyInside(entry))
    if (key === null) continue
    const entries = byTenant.get(key)
    if (entries === undefined) byTenant.set(key, [entry])
    else entries.push(entry)
  }
  return byTenant
}

async function tenantKeyInside(entry: LoggedEntry): Promise<string | null> {
  const change = await entry.change()
  return change === null ? null : tenantKeyOf(change.event)
}

export const bytesOf = (messages: readonly KafkaMessage[]): number =>
  // The object itself takes about 500 bytes besides its key and value.
  messages.reduce((sum, { key, value }) => sum + (key?.length ?? 0) + (value?.length ?? 0) + 500, 0)
