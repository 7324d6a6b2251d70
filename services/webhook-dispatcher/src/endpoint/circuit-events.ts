import { type CircuitChange, circuitEvent } from '@surehook/contracts/events/delivery-events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { EventProducer } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'
import type { Logger } from 'pino'
import type { CircuitStore } from './circuit-store.ts'

export type CircuitEventsDeps = {
  producer: Pick<EventProducer, 'send'>
  codec: Pick<EventCodec, 'change'>
  store: Pick<CircuitStore, 'markTold' | 'forgetOpening'>
  log: Logger
}

/**
 * Publishes the events of `_endpoints` about circuits. The owner of the endpoint is the only
 * writer. Redis has the opening before its event is published, and marks it once Kafka has the
 * event. It forgets the opening only after the event of its end. So the next owner repeats what a
 * killed one has not published, with the same id. It does so with the endpoint's next delivery. An
 * event is lost only if Redis loses the circuit, if the end was asked for while there was no owner,
 * or if the endpoint has no delivery for `forgetAfterMs`.
 */
export class CircuitEvents {
  readonly #deps: CircuitEventsDeps
  /** The events of an endpoint are published one after the other. */
  readonly #last = new Map<string, Promise<void>>()

  constructor(deps: CircuitEventsDeps) {
    this.#deps = deps
  }

  /** Returns at once. The producer repeats the event until Kafka has it or the process stops. */
  tell(change: CircuitChange): void {
    const { endpointId } = change
    const before = this.#last.get(endpointId) ?? Promise.resolve()
    const told = before
      .then(() => this.#publish(change))
      .catch((err: unknown) =>
        this.#deps.log.warn({ err, endpointId }, 'circuit.event.unpublished'),
      )
      .finally(() => {
        if (this.#last.get(endpointId) === told) this.#last.delete(endpointId)
      })
    this.#last.set(endpointId, told)
  }

  async #publish(change: CircuitChange): Promise<void> {
    const { producer, codec, store } = this.#deps
    const event = circuitEvent(change)
    const value = codec.change.encode(event)
    await producer.send([{ topic: changesTopic, key: changeKey(event), value }])
    if (change.isOpen) await store.markTold(change.endpointId, change.openUntil)
    else await store.forgetOpening(change.endpointId, change.openUntil)
  }
}
