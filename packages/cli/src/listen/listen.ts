import type { StreamedChange } from '@surehook/client'
import type { Io } from '../cli/command.ts'
import { visible } from '../output/visible.ts'
import { type Answer, isAccepted } from './forward.ts'

export type Listening = {
  changes: AsyncIterable<StreamedChange>
  /** `null` only prints. */
  forward: ((change: StreamedChange) => Promise<Answer>) | null
  /** Ends after that many changes; `null` for never. */
  exitAfter: number | null
  json: boolean
  io: Pick<Io, 'out' | 'note'>
}

/** The most failed changes that are kept to be sent again. */
const keptFailures = 1_000

/** Prints and forwards changes in their order, and sends earlier ones again on request. */
export class Listener {
  readonly #of: Listening
  #newest: StreamedChange | null = null
  #failed: StreamedChange[] = []

  constructor(of: Listening) {
    this.#of = of
  }

  /** Resolves with the number of changes whose receiver failed, when the changes end. */
  async run(): Promise<number> {
    const { changes, exitAfter } = this.#of
    let seen = 0
    for await (const change of changes) {
      this.#newest = change
      await this.#send(change)
      seen += 1
      if (seen === exitAfter) break
    }
    return this.#failed.length
  }

  async resendNewest(): Promise<void> {
    if (this.#newest === null) this.#of.io.note('no change has come yet')
    else await this.#send(this.#newest)
  }

  async resendFailed(): Promise<void> {
    const failed = this.#failed
    if (failed.length === 0) this.#of.io.note('no change has failed')
    for (const change of failed) await this.#send(change)
  }

  async #send(change: StreamedChange): Promise<void> {
    const { forward, json, io } = this.#of
    const answer = forward === null ? null : await forward(change)
    this.#failed = this.#failed.filter((other) => other !== change)
    if (answer !== null && !isAccepted(answer)) this.#failed.push(change)
    this.#failed.splice(0, this.#failed.length - keptFailures)
    io.out(json ? JSON.stringify({ ...parsed(change), answer }) : lineOf(change, answer))
  }
}

type Body = {
  id: string
  timestamp: string
  table: string
  event: string
  record?: { id?: string }
}
const parsed = ({ body }: StreamedChange) => JSON.parse(body) as Body

function lineOf(change: StreamedChange, answer: Answer | null): string {
  const { id, timestamp, table, event, record } = parsed(change)
  const what = `${timestamp}  ${event.padEnd(6)}  ${table}/${record?.id ?? '-'}  ${id}`
  if (answer === null) return visible(what)
  const { status, error, ms } = answer
  return visible(`${what}  ${status ?? 'failed'}${error === null ? '' : `: ${error}`}  ${ms} ms`)
}
