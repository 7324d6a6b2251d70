const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Whether `text` is a W3C `traceparent`, which may stand in a header as it is. */
export const isTraceparent = (text: string): boolean => form.test(text)
