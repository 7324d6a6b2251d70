import { PgoutputPlugin } from 'pg-logical-replication'

export type PluginMessage =
  | { tag: 'begin'; commit: bigint }
  | { tag: 'commit'; end: bigint }
  | { tag: 'message'; content: string }

type StartArguments = Parameters<PgoutputPlugin['start']>

// Before both stand the tag, the flags and an LSN; before a message's content, its length.
const prefixAt = 10
const commitEndAt = 10
// A begin has the LSN of the commit right after its tag.
const commitAt = 1
const lengthBytes = 4

/** Takes from pgoutput only what the relay needs; other services' messages are not even decoded. */
export class CapturePlugin {
  readonly options: { publication: string; prefix: string }
  readonly #pgoutput: PgoutputPlugin
  readonly #prefix: Buffer

  constructor(options: { publication: string; prefix: string }) {
    this.options = options
    this.#prefix = Buffer.from(`${options.prefix}\0`)
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

  parse(buffer: Buffer): PluginMessage | null {
    const tag = String.fromCharCode(buffer[0] ?? 0)
    if (tag === 'B') return { tag: 'begin', commit: buffer.readBigUInt64BE(commitAt) }
    if (tag === 'C') return { tag: 'commit', end: buffer.readBigUInt64BE(commitEndAt) }
    const prefixEnd = prefixAt + this.#prefix.length
    if (tag !== 'M' || !buffer.subarray(prefixAt, prefixEnd).equals(this.#prefix)) return null
    // To a string at once: the bytes belong to the connection, which uses them again.
    return { tag: 'message', content: buffer.toString('utf8', prefixEnd + lengthBytes) }
  }
}
