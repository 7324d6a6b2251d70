/**
 * The circuits in Redis. The dispatcher that owns an endpoint writes them. webhook-api reads them
 * and asks the owner to close one. If Redis loses them, only the owner knows its circuits.
 */

/**
 * An endpoint has a circuit for the failures of its receiver, which all its subscriptions share. A
 * subscription whose deliveries the receiver refuses has one of its own there.
 */
export type CircuitIdentity = {
  endpointId: string
  /** Null: the circuit that all subscriptions of the endpoint share. */
  webhookId: string | null
}

export const circuitId = ({ endpointId, webhookId }: CircuitIdentity) =>
  webhookId === null ? endpointId : `${endpointId}:${webhookId}`

/**
 * A hash: `failures` (in a row), and once the circuit has opened `openSince` and `openUntil` (epoch
 * milliseconds). If an event is published for the opening, also `place`, and `publishedUntil`: the
 * `openUntil` of the last opening whose event is published. `openUntil` then stays until the event
 * of the end is published.
 */
export const circuitKey = (id: string) => `surehook:circuit:${id}`

/**
 * The value of `openUntil` in the shared circuit that asks the owner to close all circuits of the
 * endpoint. The owner of an open circuit looks for it, and then removes the key. A missing key says
 * nothing: Redis may have lost it.
 */
export const closedByRequest = '0'

/** The interval at which the owner of an open circuit looks. */
export const closeLookMs = 500

/** The time after which a request expires. If no owner has seen it by then, there is no owner. */
export const closeRequestMs = 20 * closeLookMs

/** A hash with `inFlight`, the attempts in flight. It expires when the owner stops writing it. */
export const loadKey = (endpointId: string) => `${circuitKey(endpointId)}:load`
