/**
 * The circuits of endpoints in Redis. The dispatcher that owns an endpoint writes them. webhook-api
 * reads them and asks the owner to close one. If Redis loses them, only the owner knows its
 * circuits.
 */

/**
 * A hash: `failures` (in a row), and once the circuit has opened `openSince` and `openUntil` (epoch
 * milliseconds). If an event is published for the opening, also `place`, and `publishedUntil`: the
 * `openUntil` of the last opening whose event is published. `openUntil` then stays until the event
 * of the end is published.
 */
export const circuitKey = (endpointId: string) => `surehook:circuit:${endpointId}`

/**
 * The value of `openUntil` that asks the owner to close the circuit. The owner of an open circuit
 * looks for it, and then removes the key. A missing key says nothing: Redis may have lost it.
 */
export const closedByRequest = '0'

/** The interval at which the owner of an open circuit looks. */
export const closeLookMs = 500

/** The time after which a request expires. If no owner has seen it by then, there is no owner. */
export const closeRequestMs = 20 * closeLookMs

/** A hash with `inFlight`, the attempts in flight. It expires when the owner stops writing it. */
export const loadKey = (endpointId: string) => `${circuitKey(endpointId)}:load`
