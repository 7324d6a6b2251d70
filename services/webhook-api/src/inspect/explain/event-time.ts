/**
 * Returns the time in a UUIDv7 (RFC 9562, section 5.7) in epoch milliseconds, or `null` for other
 * ids.
 */
export function timeInId(eventId: string): number | null {
  const hex = eventId.replaceAll('-', '')
  return hex[12] === '7' ? Number.parseInt(hex.slice(0, 12), 16) : null
}
