import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import {
  type Answer,
  concat,
  everydayAnswers,
  int32,
  offered,
  type RequestName,
} from './kafka-answers.ts'

const nameOf = new Map(
  Object.entries(offered).map(([name, [key]]) => [key as number, name as RequestName]),
)

/**
 * A broker that speaks Kafka's protocol on a socket. It has one topic and coordinates a group with
 * one member. Like Kafka, it answers the requests of a connection in order.
 */
export class FakeBroker implements AsyncDisposable {
  readonly answers: Record<RequestName, Answer> = everydayAnswers()
  readonly received: RequestName[] = []
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((socket) => this.#serve(socket))

  static async open(): Promise<FakeBroker> {
    const broker = new FakeBroker()
    broker.#server.listen(0, '127.0.0.1')
    await once(broker.#server, 'listening')
    return broker
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  countOf(name: RequestName): number {
    return this.received.filter((one) => one === name).length
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket)
    let unread: Buffer = Buffer.alloc(0)
    let answered = Promise.resolve()
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      unread = concat(unread, bytes)
      while (unread.length >= 4 && unread.length >= 4 + unread.readInt32BE()) {
        const size = unread.readInt32BE()
        const request = unread.subarray(4, 4 + size)
        unread = unread.subarray(4 + size)
        answered = answered.then(() => this.#answer(socket, request))
      }
    })
  }

  async #answer(socket: Socket, request: Buffer): Promise<void> {
    const name = nameOf.get(request.readInt16BE())
    if (name === undefined) throw new Error(`no answer to requests of key ${request.readInt16BE()}`)
    this.received.push(name)
    const answer = concat(request.subarray(4, 8), await this.answers[name](this.#port))
    if (!socket.destroyed) socket.write(concat(int32(answer.length), answer))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
