import type avro from 'avsc'

/**
 * Values of one type in the Confluent wire format: a zero byte, the schema id as 4 bytes big
 * endian, the Avro binary.
 */
export interface TypeCodec<T> {
  /** Throws when `value` does not fit the schema, naming the path. */
  encode(value: T): Buffer
  /**
   * At once when the value was written with our own version of the schema; a promise when the
   * writer's version has to be looked up. What can never be decoded is an `UndecodableError`;
   * anything else (a registry that is away) is worth another try.
   */
  decode(buffer: Buffer): T | Promise<T>
}

/** The bytes are not a value of the expected type, now or later: no retry helps. */
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
  /** Encoded into first and copied out: its size is known only afterwards. */
  #scratch = Buffer.alloc(firstScratchBytes)

  constructor(type: avro.Type, id: number, writerOf: (id: number) => Promise<avro.Type>) {
    this.#type = type
    this.#id = id
    this.#writerOf = writerOf
  }

  encode(value: T): Buffer {
    let end = this.#type.encode(value, this.#scratch, headerBytes)
    if (end < 0) {
      // A negative result says how much is missing. Grow past it: the next value is alike.
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
