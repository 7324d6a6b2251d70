import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** The answer of the server for a name; it knows only IPv4 addresses. */
export type NameAnswer = { addresses: readonly string[]; ttl: number } | 'SERVFAIL' | 'silence'

const codes = { ok: 0, SERVFAIL: 2 }
const typeA = 1

/** A minimal name server on UDP (RFC 1035 §4). */
export class NameServer implements AsyncDisposable {
  answer: (name: string) => NameAnswer
  /** The queried names, once per query for IPv4 addresses. */
  readonly asked: string[] = []
  readonly #socket: Socket = createSocket('udp4')
  #held: (() => void)[] | null = null

  private constructor(answer: (name: string) => NameAnswer) {
    this.answer = answer
    this.#socket.on('message', (question, { port, address }) => {
      const reply = this.#replyTo(question)
      if (reply === null) return
      const send = () => this.#socket.send(reply, port, address)
      if (this.#held === null) send()
      else this.#held.push(send)
    })
  }

  static async open(answer: (name: string) => NameAnswer): Promise<NameServer> {
    const server = new NameServer(answer)
    server.#socket.bind(0, '127.0.0.1')
    await once(server.#socket, 'listening')
    return server
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  /** Holds back answers until they are released. */
  hold(): void {
    this.#held = []
  }

  letGo(): void {
    for (const send of this.#held ?? []) send()
    this.#held = null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }

  #replyTo(message: Buffer): Buffer | null {
    const { name, end } = readName(message)
    const type = message.readUInt16BE(end)
    if (type === typeA) this.asked.push(name)
    const answer = this.answer(name)
    if (answer === 'silence') return null
    const known = answer === 'SERVFAIL' || type !== typeA ? [] : answer.addresses
    const head = Buffer.alloc(12)
    head.writeUInt16BE(message.readUInt16BE(0), 0)
    // Flags: a response to a recursive query, from a recursive server.
    head.writeUInt16BE(0x8180 | (answer === 'SERVFAIL' ? codes.SERVFAIL : codes.ok), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(known.length, 6)
    const ttl = answer === 'SERVFAIL' ? 0 : answer.ttl
    return Buffer.concat([
      head,
      message.subarray(12, end + 4),
      ...known.map((address) => addressRecord(address, ttl)),
    ])
  }
}

function readName(message: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function addressRecord(address: string, ttl: number): Buffer {
  const record = Buffer.alloc(16)
  // A pointer to the name in the query.
  record.writeUInt16BE(0xc00c, 0)
  record.writeUInt16BE(typeA, 2)
  record.writeUInt16BE(1, 4)
  record.writeUInt32BE(ttl, 6)
  record.writeUInt16BE(4, 10)
  Buffer.from(address.split('.').map(Number)).copy(record, 12)
  return record
}
