export type JsonObject = Record<string, unknown>

/** The object that a text holds, or what is wrong with the text. */
export function jsonObjectIn(text: string): { value: JsonObject } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { value: value as JsonObject } : { fault: 'must be a JSON object' }
  } catch (err) {
    return { fault: `is not JSON: ${err instanceof Error ? err.message : String(err)}` }
  }
}
