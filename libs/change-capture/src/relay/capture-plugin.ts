import { PgoutputPlugin } from 'pg-logical-replication'
import type { WalMessage, WalPlugin } from './wal-decoder.ts'

/** A message of the service, or `state` for one of the service in `statesOf`. */
export type CaptureContent = { tag: 'message'; text: string } | { tag: 'state' }

type StartArguments = Parameters<PgoutputPlugin['start']>

// pgoutput writes tag, flags and LSN before the prefix, and the length before a message's content.
const prefixAt = 10
const commitEndAt = 10
// A begin message has the LSN of its commit right after the tag.
const commitAt = 1
const lengthBytes = 4

export type CapturePluginOptions = {
  publication: string
  prefix: string
  /** Prefix of messages that are reported without their content. */
  statesPrefix?: string | undefined
}

/**
 * Decodes only the parts of pgoutput that the relay needs. Messages of other services are not
 * decoded.
 */
export class CapturePlugin implements WalPlugin<CaptureContent> {
  readonly options: CapturePluginOptions
  readonly #pgoutput: PgoutputPlugin
  readonly #prefix: Buffer
  readonly #statesPrefix: Buffer | null

  constructor(options: CapturePluginOptions) {
    this.options = options
    this.#prefix = terminated(options.prefix)
    this.#statesPrefix =
      options.statesPrefix === undefined ? null : terminated(options.statesPrefix)
    this.#pgoutput = new PgoutputPlugin({
      protoVersion: 1,
      publicationNames: [options.publication],
      messages: true,
    })
  }

  get name(): string {
    return this.#pgoutput.name
  }

  start(...[client, slot, lsn]: StartArguments): Promise<unknown> {
    return this.#pgoutput.start(client, slot, lsn)
  }

  parse(buffer: Buffer): WalMessage<CaptureContent> | null {
    const tag = String.fromCharCode(buffer[0] ?? 0)
    if (tag === 'B') return { tag: 'begin', commit: buffer.readBigUInt64BE(commitAt) }
    if (tag === 'C') return { tag: 'commit', end: buffer.readBigUInt64BE(commitEndAt) }
    if (tag !== 'M') return null
    if (!hasPrefix(buffer, this.#prefix))
      return hasPrefix(buffer, this.#statesPrefix) ? state : null
    const contentAt = prefixAt + this.#prefix.length + lengthBytes
    const text = buffer.toString('utf8', contentAt)
    return { tag: 'content', content: { tag: 'message', text } }
  }
}

const state: WalMessage<CaptureContent> = { tag: 'content', content: { tag: 'state' } }

const terminated = (prefix: string) => Buffer.from(`${prefix}\0`)

const hasPrefix = (message: Buffer, prefix: Buffer | null): boolean =>
  prefix !== null && message.subarray(prefixAt, prefixAt + prefix.length).equals(prefix)
