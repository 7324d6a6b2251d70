import { setTimeout as sleep } from 'node:timers/promises'
import { nextCursorHeader } from '@surehook/contracts/http/webhooks/stream'
import { backoffMs } from '@surehook/service-kit/backoff'
import { reasonOf } from '@surehook/service-kit/errors'
import * as z from 'zod'
import { refusalOf } from '../admin/call-operation.ts'
import { causeOf } from '../lib/cause-of.ts'
import { type Tenant, tenantHeaders } from '../tenant/tenant-client.ts'

/** One line of a page of `_stream`. */
const PageLine = z.object({
  cursor: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
})
export type StreamedChange = z.infer<typeof PageLine>

/** The parts of the query of `_stream` that choose the changes. */
export type Wanted = Readonly<
  Record<'table' | 'events' | 'filter' | 'select' | 'from', string | undefined>
>

export type Reading = {
  tenant: Tenant
  wanted: Wanted
  signal: AbortSignal
  note(line: string): void
}

/** The API waits so long for the first change of a page. */
const waitS = 20
const answerMs = (waitS + 20) * 1_000
const backoff = { firstMs: 500, longestMs: 15_000 }

/**
 * Reads the changes of an environment for ever, page by page, until `signal` aborts. The cursor
 * outlasts a lost connection and a machine that slept: no change is skipped for 7 days. Throws a
 * `Failure` when the API refuses the request, for example because the token was revoked.
 */
export async function* readChanges(reading: Reading): AsyncGenerator<StreamedChange> {
  const { signal } = reading
  let cursor: string | undefined
  for (let failures = 0; !signal.aborted; ) {
    const page = await readPage(reading, cursor)
    if ('changes' in page) {
      if (failures > 0) reading.note('connected again')
      failures = 0
      yield* page.changes
      cursor = page.cursor
      continue
    }
    if (signal.aborted) return
    failures += 1
    if (failures === 1) reading.note(`${page.reason}: trying again`)
    const pauseMs = page.retryAfterMs ?? backoffMs(failures, backoff)
    await sleep(pauseMs, undefined, { signal }).catch(ignoreAbort(signal))
  }
}

type Page = { changes: StreamedChange[]; cursor: string }
type Unread = { reason: string; retryAfterMs?: number | undefined }

async function readPage(reading: Reading, cursor: string | undefined): Promise<Page | Unread> {
  const { tenant } = reading
  const got = await ask(reading, cursor)
  if ('reason' in got) return got
  const { answer, text } = got
  if (answer.ok) return pageOf(text, answer.headers.get(nextCursorHeader))
  if (answer.status !== 429 && answer.status < 500) throw refusalOf(answer, text)
  const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN)
  return {
    reason: `${answer.status} from ${tenant.baseUrl}`,
    retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined,
  }
}

type Got = { answer: Response; text: string }

async function ask(reading: Reading, cursor: string | undefined): Promise<Got | Unread> {
  const { tenant, signal } = reading
  try {
    const answer = await fetch(
      `${tenant.baseUrl}/gw/api/rest/_stream?${queryOf(reading, cursor)}`,
      {
        headers: tenantHeaders(tenant),
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      },
    )
    return { answer, text: await answer.text() }
  } catch (err) {
    // A refused or cut connection, or an answer that did not come in time.
    return { reason: `${tenant.baseUrl} cannot be reached (${reasonOf(causeOf(err))})` }
  }
}

function queryOf({ wanted }: Reading, cursor: string | undefined): string {
  const { from, ...chosen } = wanted
  const start = cursor === undefined ? { from } : { cursor }
  // The first page must not wait: its cursor is what outlasts a lost connection.
  const wait = String(cursor === undefined ? 0 : waitS)
  const given = Object.entries({ ...chosen, ...start, wait, format: 'ndjson' })
  return new URLSearchParams(
    given.filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString()
}

function pageOf(text: string, cursor: string | null): Page {
  if (cursor === null) throw new Error(`the answer has no ${nextCursorHeader}`)
  const lines = text.split('\n').filter((line) => line !== '')
  return { changes: lines.map((line) => PageLine.parse(JSON.parse(line))), cursor }
}

const ignoreAbort = (signal: AbortSignal) => (err: unknown) => {
  if (!signal.aborted) throw err
}
