const timed = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/**
 * The page of an event. A UUIDv7 tells the time of the change. For any other id the log is searched
 * from the given time.
 */
export function eventPath(id: string, at = ''): string {
  const path = `/events/${encodeURIComponent(id)}`
  return at === '' || timed.test(id) ? path : `${path}?${new URLSearchParams({ at }).toString()}`
}
