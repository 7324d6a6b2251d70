import { type ChildProcess, fork } from 'node:child_process'

export type ToMember = { finishBelow: number }
export type FromMember =
  | { kind: 'handed'; offset: number }
  | { kind: 'assigned' | 'revoked' | 'hands over' | 'goes on' }
  | { kind: 'finished'; live: number }

/** A member of a group in its own process: `fixtures/member.ts`. */
export class ChildMember implements Disposable {
  readonly said: FromMember[] = []
  readonly #child: ChildProcess

  constructor(clientId: string, groupId: string, topic: string) {
    const brokers = process.env['TEST_KAFKA_BROKERS'] ?? ''
    const fixture = `${import.meta.dirname}/fixtures/member.ts`
    this.#child = fork(fixture, [brokers, clientId, groupId, topic], {
      execArgv: ['--conditions=source'],
    })
    this.#child.on('message', (message) => this.said.push(message as FromMember))
  }

  /** All offsets that it received, in order. */
  get handed(): number[] {
    return this.said.flatMap((message) => (message.kind === 'handed' ? [message.offset] : []))
  }

  /** Number of its messages of this kind. */
  count(kind: FromMember['kind']): number {
    return this.said.filter((message) => message.kind === kind).length
  }

  /** Number of messages on which it may still start work, by its last report. */
  get live(): number | undefined {
    return this.said.findLast((message) => message.kind === 'finished')?.live
  }

  finishBelow(offset: number): void {
    this.#child.send({ finishBelow: offset } satisfies ToMember)
  }

  standStill(): void {
    this.#child.kill('SIGSTOP')
  }

  goOn(): void {
    this.#child.kill('SIGCONT')
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL')
  }
}
