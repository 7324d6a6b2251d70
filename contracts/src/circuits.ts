/**
 * The circuits of endpoints in Redis. The dispatcher that owns an endpoint writes them, webhook-api reads them and
 * asks for one to be closed. All of it may be lost: nobody then knows of a circuit but its owner.
 */

/** A hash: `failures` (in a row), and `openUntil` (epoch milliseconds) once it has been opened. */
export const circuitKey = (endpointId: string) => `surehook:circuit:${endpointId}`

/**
 * As `openUntil`: somebody asked that the circuit be closed. Its owner looks for that as long as it is open, and then
 * removes the key. A key that is missing says nothing: Redis may have lost it.
 */
export const closedByRequest = '0'

/** The owner of an open circuit looks so often. */
export const closeLookMs = 500

/** A request that no owner has met by then has none to meet it. */
export const closeRequestMs = 20 * closeLookMs

/** A hash with `inFlight`: attempts in flight. It expires when its owner no longer tells. */
export const loadKey = (endpointId: string) => `${circuitKey(endpointId)}:load`
