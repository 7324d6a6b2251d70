export type Task = {
  id: string
  createdAt: string
  updatedAt: string
  owner: 'ann' | 'bob'
  done: boolean
  n: number
}
export type Values = Pick<Task, 'owner' | 'done' | 'n'>
type Change = { before: Task | null; after: Task | null; at: string }
type Connection = {
  position: number
  view: string
  filter: (task: Task) => boolean
  send: (text: string) => void
  end: (how: 'ends' | 'breaks') => void
}
type Withheld = { read: () => object; early: object; answer: (body: object) => void }

const pageLength = 2

/**
 * Surehook with one table. It commits at once, but publishes changes, and answers requests for
 * pages, only when the test says so.
 */
export class LiveServer {
  readonly tasks = new Map<string, Task>()
  readonly requests: string[] = []
  /** The user reads only the tasks of Ann, or all. */
  readsAll = false
  /** The answers to requests for pages. Undefined: pages are answered at once. */
  withheld: Withheld[] | undefined
  /** The answer to the next requests, in place of the right one. */
  refusal: ((path: string) => Response | undefined) | undefined
  readonly #log: Change[] = []
  #published = 0
  #firstCursor = 0
  #time = 0
  readonly #open = new Set<Connection>()

  get connections(): number {
    return this.#open.size
  }

  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const url = new URL(input as string)
    const isStream = url.pathname.endsWith('/_stream')
    this.requests.push(isStream ? 'stream' : 'list')
    init.signal?.throwIfAborted()
    const refused = this.refusal?.(isStream ? 'stream' : 'list')
    if (refused !== undefined) return refused
    const cursor = new Headers(init.headers).get('last-event-id')
    if (isStream) return this.#stream(url.searchParams, cursor, init.signal)
    return this.#page(url.searchParams, init.signal)
  }

  /** Creates, changes or deletes a task. */
  write(id: string, values: Values | null): void {
    const before = this.tasks.get(id) ?? null
    if (before === null && values === null) return
    const at = new Date(++this.#time).toISOString()
    const after = values && { id, createdAt: before?.createdAt ?? at, updatedAt: at, ...values }
    if (after === null) this.tasks.delete(id)
    else this.tasks.set(id, after)
    this.#log.push({ before, after, at })
  }

  /** Publishes all changes, or some of them. */
  publish(count = this.#log.length): void {
    this.#published = Math.min(this.#log.length, this.#published + count)
    for (const connection of this.#open) this.#send(connection)
  }

  /** Answers the oldest request for a page, as it was asked or as of now. */
  answer(when: 'early' | 'now' = 'now'): void {
    const [page] = this.withheld?.splice(0, 1) ?? []
    page?.answer(when === 'early' ? page.early : page.read())
  }

  /** Ends all streams, perhaps within an event. */
  cut(how: 'ends' | 'breaks' | 'within'): void {
    for (const { send, end } of this.#open) {
      if (how === 'within') send('event: UPDATE\nid: never\ndata: {"eve')
      end(how === 'ends' ? 'ends' : 'breaks')
    }
    this.#open.clear()
  }

  changeRules(): void {
    this.readsAll = !this.readsAll
    for (const { send } of this.#open) send(': access\n\n')
    this.cut('ends')
  }

  /** No cursor so far is valid any more. */
  expireCursors(): void {
    this.#firstCursor = this.#published + 1
    this.write('expiry', { owner: 'bob', done: true, n: 0 })
    this.publish()
    this.cut('breaks')
  }

  expected(where: { done?: boolean }): Task[] {
    const all = [...this.tasks.values()].filter((task) => this.#mayRead(task))
    return all.filter(({ done }) => done === (where.done ?? done))
  }

  #mayRead(task: Task | null): task is Task {
    return task !== null && (this.readsAll || task.owner === 'ann')
  }

  #page(query: URLSearchParams, signal: AbortSignal | null | undefined): Promise<Response> {
    const after = query.get('cursor') ?? ''
    const read = () => {
      const all = this.expected(JSON.parse(query.get('where') ?? '{}') as object)
      const left = all.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1))
      const records = left.slice(0, pageLength)
      const nextCursor = left.length > pageLength ? (records.at(-1)?.id ?? null) : null
      return { records, nextCursor }
    }
    if (this.withheld === undefined) return Promise.resolve(Response.json(read()))
    return new Promise((resolve, reject) => {
      const answer = (body: object) => resolve(Response.json(body))
      this.withheld?.push({ read, early: read(), answer })
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  }

  #stream(
    query: URLSearchParams,
    cursor: string | null,
    signal: AbortSignal | null | undefined,
  ): Response {
    if (cursor !== null && Number(cursor) < this.#firstCursor) {
      const violations = [{ field: 'Last-Event-ID', message: 'has expired' }]
      return Response.json({ error: 'VALIDATION_ERROR', violations }, { status: 400 })
    }
    const { done } = JSON.parse(query.get('filter') ?? '{}') as Partial<Task>
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const connection: Connection = {
          position: cursor === null ? this.#published : Number(cursor),
          view: String(this.readsAll),
          filter: (task) => task.done === (done ?? task.done),
          send: (text) => controller.enqueue(new TextEncoder().encode(text)),
          end: (how) =>
            how === 'ends' ? controller.close() : controller.error(new TypeError('terminated')),
        }
        connection.send(`: view ${connection.view}\nid: ${connection.position}\n\n`)
        this.#open.add(connection)
        this.#send(connection)
        signal?.addEventListener('abort', () => {
          if (this.#open.delete(connection)) controller.error(signal.reason)
        })
      },
    })
    const headers = { 'content-type': 'text/event-stream' }
    return new Response(body, { headers })
  }

  #send(connection: Connection): void {
    const texts: string[] = []
    while (connection.position < this.#published) {
      const change = this.#log[connection.position++]
      const sent = change && this.#sentOf(change, connection.filter)
      const data = JSON.stringify({ timestamp: change?.at, ...sent })
      if (sent) texts.push(`event: ${sent.event}\nid: ${connection.position}\ndata: ${data}\n\n`)
    }
    if (texts.length > 0) connection.send(texts.join(''))
  }

  /** What Surehook sends with `list=true`. */
  #sentOf({ before, after }: Change, filter: Connection['filter']) {
    const [was, is] = [this.#mayRead(before), this.#mayRead(after)]
    if (after === null) {
      return was && before && filter(before) ? { event: 'DELETE', record: before } : null
    }
    const left = { event: 'DELETE', record: { id: after.id } }
    if (!is) return was ? left : null
    if (filter(after)) return { event: before === null ? 'INSERT' : 'UPDATE', record: after }
    return before === null ? null : left
  }
}
