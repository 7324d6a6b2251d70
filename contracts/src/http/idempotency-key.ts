import * as z from 'zod'

/** Hours for which the platform remembers a key and the response to its request. */
export const idempotencyKeyHours = 24

/** Header of operations that create something; draft-ietf-httpapi-idempotency-key-header. */
export const IdempotencyKey = z
  .string()
  .regex(
    /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/,
    'must be 1 to 255 printable ASCII characters',
  )
  .describe(
    'Makes the request safe to repeat: the same request gets the same answer again. ' +
      `Another request with the key gets 409. Kept for ${idempotencyKeyHours} hours`,
  )

/** For an operation's `headers`: `tenant.extend(idempotencyHeader)`. */
export const idempotencyHeader = { 'idempotency-key': IdempotencyKey.optional() } as const
