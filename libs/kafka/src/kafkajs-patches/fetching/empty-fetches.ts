import { createRequire } from 'node:module'
import { replaceMethods } from '../replace-methods.ts'

/** The leader had no records between these offsets at hand. */
export type EmptyFetch = { topic: string; partition: number; from: number; to: number }

type FetchedBatch = {
  topic: string
  partition: number
  fetchedOffset: string
  rawMessages: readonly object[]
}
type PartitionResponse = {
  errorCode: number
  /** Missing in answers of Kafka before 0.11. */
  lastStableOffset?: string
  messages: readonly object[]
}
type FetchResponse = { responses: readonly { partitions: readonly PartitionResponse[] }[] }
type Call = { response: { decode(bytes: Buffer): Promise<FetchResponse> } }
type Definition = { protocol(of: { version: number }): (fetch: object) => Call }

const definition = createRequire(import.meta.url)(
  'kafkajs/src/protocol/requests/fetch',
) as Definition
/** The methods as earlier patches have left them. */
const before = {} as Definition

/**
 * End offsets by the record array of a partition, because kafkajs passes on nothing else of the
 * response.
 */
const emptyUpTo = new WeakMap<object, number>()
const watchers = new Map<string, (empty: EmptyFetch) => void>()

function rememberEmpty({ responses }: FetchResponse): void {
  const partitions = responses.flatMap((topic) => topic.partitions)
  if (partitions.some(({ messages }) => messages.length > 0)) return
  for (const { messages, errorCode, lastStableOffset } of partitions) {
    if (errorCode !== 0 || lastStableOffset === undefined) continue
    emptyUpTo.set(messages, Number(lastStableOffset))
  }
}

const protocolWithMemory: Definition['protocol'] = (of) => {
  const create = before.protocol(of)
  return (fetch) => {
    const call = create(fetch)
    const decode = async (bytes: Buffer) => {
      const decoded = await call.response.decode(bytes)
      rememberEmpty(decoded)
      return decoded
    }
    return { ...call, response: { ...call.response, decode } }
  }
}

/**
 * Call it before a process consumes. kafkajs 2.2.4 hides where a fetch without records ended, so
 * that a reader never learns that the last offsets of a log hold no readable records.
 */
export function rememberEmptyFetches(): void {
  replaceMethods(definition, before, { protocol: protocolWithMemory })
}

/**
 * Returns the end of a partition's readable log if a fetch found no records in it. Returns `undefined` if any partition of the
 * response had records, because those of this one may not have fitted, and if the end is unknown.
 * @param messages record array of a partition in a decoded response
 */
export function endOfEmpty(messages: object): number | undefined {
  return emptyUpTo.get(messages)
}

/**
 * Reports fetches without records, which kafkajs hides, to callers that wait for the end of a log.
 */
export function watchEmptyFetches(groupId: string, watch: (empty: EmptyFetch) => void): Disposable {
  watchers.set(groupId, watch)
  return { [Symbol.dispose]: () => void watchers.delete(groupId) }
}

/** Called with the results of each fetch of a group. */
export function reportEmptyFetches(groupId: string, fetched: readonly FetchedBatch[]): void {
  const watch = watchers.get(groupId)
  if (watch === undefined) return
  for (const { topic, partition, fetchedOffset, rawMessages } of fetched) {
    const to = endOfEmpty(rawMessages)
    if (to !== undefined) watch({ topic, partition, from: Number(fetchedOffset), to })
  }
}
