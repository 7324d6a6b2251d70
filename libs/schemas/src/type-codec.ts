import type avro from 'avsc'

/**
 * Codec for values of one type in the Confluent wire format: a zero byte, the schema id as a 4-byte
 * big-endian integer, then the Avro binary.
 */
export interface TypeCodec<T> {
  /** Throws when `value` does not fit the schema. The message names the path. */
  encode(value: T): Buffer
  /**
   * Returns a value if it was written with this version of the schema, otherwise a promise, because
   * the writer's schema must be looked up. Throws `UndecodableError` for bytes that can never be
   * decoded. Retry after any other error, such as an unreachable registry.
   */
  decode(buffer: Buffer): T | Promise<T>
}

/** The bytes are not a value of the expected type. A retry cannot help. */
export class UndecodableError extends Error {
  override readonly name = 'UndecodableError'
}

const headerBytes = 5
const firstScratchBytes = 4096

export class AvroTypeCodec<T> implements TypeCodec<T> {
  readonly #type: avro.Type
  readonly #id: number
  readonly #writerOf: (id: number) => Promise<avro.Type>
  readonly #resolvers = new Map<number, avro.Resolver>()
  /** Encoding buffer. Results are copied out, because their size is unknown before encoding. */
  #scratch = Buffer.alloc(firstScratchBytes)

  constructor(type: avro.Type, id: number, writerOf: (id: number) => Promise<avro.Type>) {
    this.#type = type
    this.#id = id
    this.#writerOf = writerOf
  }

  encode(value: T): Buffer {
    let end = this.#type.encode(value, this.#scratch, headerBytes)
    if (end < 0) {
      // A negative result is the number of missing bytes. The buffer doubles, because the next
      // value is probably as large.
      this.#scratch = Buffer.alloc(2 * (this.#scratch.length - end))
      end = this.#type.encode(value, this.#scratch, headerBytes)
    }
    const encoded = Buffer.from(this.#scratch.subarray(0, end))
    encoded.writeUInt32BE(this.#id, 1)
    return encoded
  }

  decode(buffer: Buffer): T | Promise<T> {
    if (buffer.length < headerBytes || buffer[0] !== 0) {
      throw new UndecodableError('Not in the Confluent wire format')
    }
    const id = buffer.readUInt32BE(1)
    if (id === this.#id) return this.#read(buffer)
    const resolver = this.#resolvers.get(id)
    return resolver ? this.#read(buffer, resolver) : this.#readForeign(buffer, id)
  }

  async #readForeign(buffer: Buffer, id: number): Promise<T> {
    const writer = await this.#writerOf(id)
    try {
      this.#resolvers.set(id, this.#type.createResolver(writer))
    } catch (err) {
      throw new UndecodableError(
        `Schema ${id} (${writer.name ?? 'unnamed'}) cannot be read as ${this.#type.name}`,
        { cause: err },
      )
    }
    return this.#read(buffer, this.#resolvers.get(id))
  }

  #read(buffer: Buffer, resolver?: avro.Resolver): T {
    try {
      return this.#type.fromBuffer(buffer.subarray(headerBytes), resolver) as T
    } catch (err) {
      throw new UndecodableError(`Not a valid ${this.#type.name}`, { cause: err })
    }
  }
}
