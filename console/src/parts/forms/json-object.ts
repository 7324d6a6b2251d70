export type JsonObject = Record<string, unknown>

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object that a text holds, or what is wrong with the text. */
export function jsonObjectIn(text: string): { value: JsonObject } | { fault: string } {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? { value } : { fault: 'must be a JSON object' }
  } catch (err) {
    return { fault: `is not JSON: ${err instanceof Error ? err.message : String(err)}` }
  }
}
