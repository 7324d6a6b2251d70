const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether `text` is a W3C `traceparent`, which may stand in a header as it is. */
export const isTraceparent = (text: string): boolean => form.test(text)

/** Header of requests and of Kafka records: what sent them. */
export const traceparentHeader = 'traceparent'

type Headers = { readonly [name: string]: Buffer | string | (Buffer | string)[] | undefined }

/** What a record says of what sent it; `null` when it says nothing that is well formed. */
export function traceparentOf(headers: Headers | undefined): string | null {
  const value = headers?.[traceparentHeader]
  if (value === undefined || Array.isArray(value)) return null
  const text = value.toString()
  return isTraceparent(text) ? text : null
}
