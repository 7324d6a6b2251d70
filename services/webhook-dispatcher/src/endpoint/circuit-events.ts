import { circuitId } from '@surehook/contracts/circuits'
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
  store: Pick<CircuitStore, 'markPublished' | 'forgetOpening'>
  /** The name of a subscription, as `webhookName` returns it. */
  nameOf: (subscriptionId: string) => string | null
  log: Logger
}

/**
 * Publishes the events of `_endpoints` about circuits. Only the owner of the endpoint writes them.
 * The opening is stored in Redis before its event is published, marked when Kafka has the event, and
 * forgotten when Kafka has the event of its end. At the endpoint's next delivery, the next owner
 * publishes the events that a killed owner did not, with the same ids. An event is lost only if
 * Redis loses the circuit, if a request closes the circuit while no process owns the endpoint, or if
 * the endpoint has no delivery for `forgetAfterMs`.
 */
export class CircuitEvents {
  readonly #deps: CircuitEventsDeps
  /** The events of a circuit are published one after the other. */
  readonly #last = new Map<string, Promise<void>>()

  constructor(deps: CircuitEventsDeps) {
    this.#deps = deps
  }

  /** Returns at once. The producer repeats the event until Kafka has it or the process stops. */
  publish(change: CircuitChange): void {
    const { endpointId } = change
    const id = circuitId(change)
    const before = this.#last.get(id) ?? Promise.resolve()
    const published = before
      .then(() => this.#send(change))
      .catch((err: unknown) =>
        this.#deps.log.warn({ err, endpointId }, 'circuit.event.unpublished'),
      )
      .finally(() => {
        if (this.#last.get(id) === published) this.#last.delete(id)
      })
    this.#last.set(id, published)
  }

  async #send(change: CircuitChange): Promise<void> {
    const { producer, codec, store, nameOf } = this.#deps
    const { webhookId } = change
    const event = circuitEvent(change, webhookId === null ? null : nameOf(webhookId))
    const value = codec.change.encode(event)
    await producer.send([{ topic: changesTopic, key: changeKey(event), value }])
    if (change.isOpen) await store.markPublished(circuitId(change), change.openUntil)
    else await store.forgetOpening(circuitId(change), change.openUntil)
  }
}
