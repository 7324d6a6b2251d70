import * as z from 'zod'

export type JsonObject = Record<string, unknown>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON schema of `JsonObject`. */
export const objectJson = { type: 'object', additionalProperties: true } as const

/**
 * A JSON object with every key as it was sent. `z.record` silently drops a key named `__proto__`. A
 * filter that loses its conditions matches everything.
 */
export const JsonObject = z
  .custom<JsonObject>(isJsonObject, 'must be an object')
  .meta({ override: objectJson })
