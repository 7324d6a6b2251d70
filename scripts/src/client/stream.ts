import { waitUntil } from '@surehook/service-kit/wait-until'
import { headersOf } from './call.ts'

export type StreamedEvent = { event: string; id: string; data: string }

export type StreamClient = Disposable & {
  readonly status: number
  readonly events: readonly StreamedEvent[]
  /** The last event or heartbeat carried this id. */
  readonly lastEventId: string
  /** How the answer ended: cleanly, or cut; `null` while it goes on. */
  readonly end: 'clean' | 'cut' | null
  /** The comments that came last. */
  readonly comments: readonly string[]
  arrived(count: number): Promise<void>
  ended(): Promise<void>
}

type Tenant = { projectId: string; environment: string; token: string }

/** Ends only a test that hangs, so it allows for a slow and busy machine. */
const hangsAfterMs = 60_000

/** Reads a stream of the API below `api` as a client does. `lastEventId` is where it goes on. */
export async function openStream(
  api: string,
  tenant: Tenant,
  { query = '', lastEventId }: { query?: string; lastEventId?: string | undefined } = {},
): Promise<StreamClient> {
  const stop = new AbortController()
  const headers = { ...headersOf(tenant), ...(lastEventId && { 'last-event-id': lastEventId }) }
  const answer = await fetch(`${api}/api/rest/_stream${query}`, { headers, signal: stop.signal })
  const seen = { events: [] as StreamedEvent[], comments: [] as string[], id: lastEventId ?? '' }
  let end: StreamClient['end'] = null
  const read = async () => {
    let text = ''
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) take(block, seen)
    }
  }
  void read().then(
    () => (end = 'clean'),
    () => (end = 'cut'),
  )
  const within = (isTrue: () => boolean, what: () => string) =>
    waitUntil(isTrue, { what, timeoutMs: hangsAfterMs, everyMs: 10 })
  return {
    status: answer.status,
    events: seen.events,
    comments: seen.comments,
    get lastEventId() {
      return seen.id
    },
    get end() {
      return end
    },
    arrived: (count) =>
      within(
        () => seen.events.length >= count,
        () => `${count} events, of which ${seen.events.length} came`,
      ),
    ended: () =>
      within(
        () => end !== null,
        () => 'the end of the stream',
      ),
    [Symbol.dispose]: () => stop.abort(),
  }
}

type StreamProgress = { events: StreamedEvent[]; comments: string[]; id: string }

function take(block: string, seen: StreamProgress): void {
  let event = ''
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ')
    const value = line.slice(colon + 2)
    if (line.startsWith('id: ')) seen.id = value
    else if (line.startsWith('event: ')) event = value
    else if (line.startsWith('data: ')) data.push(value)
    else if (line.startsWith(': ')) seen.comments.push(value)
  }
  if (data.length > 0) seen.events.push({ event, id: seen.id, data: data.join('\n') })
}
