/** When an event with this id was made, in epoch milliseconds: a UUIDv7 begins with it. `null` for others. */
export function timeInId(eventId: string): number | null {
  const hex = eventId.replaceAll('-', '')
  return hex[12] === '7' ? Number.parseInt(hex.slice(0, 12), 16) : null
}
