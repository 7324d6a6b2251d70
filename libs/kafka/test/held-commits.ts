import { connect, type Socket } from 'node:net'
import { silent } from '@surehook/testing/database'
import { createKafka } from '../src/client/client.ts'

const offsetCommit = 8

/**
 * A client of the real Kafka whose connection can hold back commits while all other requests pass.
 */
export class HeldCommits {
  readonly kafka = createKafka({
    brokers: [process.env['TEST_KAFKA_BROKERS'] ?? ''],
    clientId: 'held-commits',
    security: { socketFactory: (to: Address) => this.#connect(to) } as object,
    log: silent,
  })
  #waiting: (() => void)[] | null = null

  hold(): void {
    this.#waiting ??= []
  }

  release(): void {
    const waiting = this.#waiting ?? []
    this.#waiting = null
    for (const send of waiting) send()
  }

  #connect({ host, port, onConnect }: Address): Socket {
    const socket = connect({ host, port }, onConnect)
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
    // A request begins with its length (4 bytes) and its API key.
    const writeOrHold = (data: Buffer, ...rest: unknown[]) => {
      if (this.#waiting === null || data.readInt16BE(4) !== offsetCommit)
        return write(data, ...rest)
      this.#waiting.push(() => write(data, ...rest))
      return true
    }
    return Object.assign(socket, { write: writeOrHold })
  }
}

type Address = { host: string; port: number; onConnect: () => void }
