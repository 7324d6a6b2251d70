const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** True if `text` is a W3C `traceparent`. Such a text is safe as a header value. */
export const isTraceparent = (text: string): boolean => form.test(text)

/** Header that names the sending span, in HTTP requests and Kafka records. */
export const traceparentHeader = 'traceparent'

type Headers = { readonly [name: string]: Buffer | string | (Buffer | string)[] | undefined }

/** Returns the `traceparent` of a record, or `null` if it is missing or malformed. */
export function traceparentOf(headers: Headers | undefined): string | null {
  const value = headers?.[traceparentHeader]
  if (value === undefined || Array.isArray(value)) return null
  const text = value.toString()
  return isTraceparent(text) ? text : null
}
