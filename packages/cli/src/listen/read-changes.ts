import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ChangePage,
  type ChangePageQuery,
  ConnectionError,
  type StreamedChange,
  type Surehook,
  SurehookError,
} from '@surehook/client'
import { backoffMs } from '@surehook/service-kit/backoff'
import { reasonOf } from '@surehook/service-kit/errors'
import { causeOf } from '../lib/cause-of.ts'

export type ChangeReadOptions = {
  surehook: Surehook
  baseUrl: string
  /** Chooses the changes. */
  query: Pick<ChangePageQuery, 'table' | 'events' | 'filter' | 'select'>
  from: string
  signal: AbortSignal
  note(line: string): void
}

/** The API waits so long for the first change of a page. */
const waitS = 20
const answerMs = (waitS + 20) * 1_000
const backoff = { firstMs: 500, longestMs: 15_000 }

/**
 * Reads the changes of an environment for ever, page by page, until `signal` aborts. The cursor
 * outlasts a lost connection and a machine that slept: no change is skipped for 7 days. Throws the
 * refusal of the API, for example because the token was revoked.
 */
export async function* readChanges(reading: ChangeReadOptions): AsyncGenerator<StreamedChange> {
  const { signal } = reading
  let cursor: string | undefined
  for (let failures = 0; !signal.aborted; ) {
    const page = await readPage(reading, cursor).catch(ignoreAbort(signal))
    if (page === undefined) return
    if ('changes' in page) {
      if (failures > 0) reading.note('connected again')
      failures = 0
      yield* page.changes
      cursor = page.nextCursor
      continue
    }
    failures += 1
    if (failures === 1) reading.note(`${page.reason}: trying again`)
    const pauseMs = page.retryAfterMs ?? backoffMs(failures, backoff)
    await sleep(pauseMs, undefined, { signal }).catch(ignoreAbort(signal))
  }
}

type FailedRead = { reason: string; retryAfterMs?: number | undefined }

/** Resolves with the reason if another attempt may succeed. */
async function readPage(
  { surehook, baseUrl, query, from, signal }: ChangeReadOptions,
  cursor: string | undefined,
): Promise<ChangePage | FailedRead> {
  // The first page must not wait: its cursor is what outlasts a lost connection.
  const start = cursor === undefined ? { from, wait: 0 } : { cursor, wait: waitS }
  const options = { signal, timeout: answerMs, maxRetries: 0 }
  try {
    return await surehook.streamPage({ ...query, ...start }, options)
  } catch (err) {
    if (!(err instanceof SurehookError)) throw err
    const { status = 0, retryAfter = 0 } = err
    if (err instanceof ConnectionError) {
      return { reason: `${baseUrl} cannot be reached (${reasonOf(causeOf(err))})` }
    }
    if (status !== 429 && status < 500) throw err
    const retryAfterMs = retryAfter > 0 ? retryAfter * 1_000 : undefined
    return { reason: `${status} from ${baseUrl}`, retryAfterMs }
  }
}

const ignoreAbort = (signal: AbortSignal) => (err: unknown) => {
  if (!signal.aborted) throw err
}
