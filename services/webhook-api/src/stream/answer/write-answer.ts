import type { ServerResponse } from 'node:http'
import {
  eventStream,
  ndjson,
  nextCursorHeader,
  type StreamQuery,
} from '@surehook/contracts/http/webhooks/stream'
import { unavailable } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { Position } from '../cursor/position.ts'
import type { ChangeSource } from '../log/change-source.ts'
import { collectPage, type Page } from './collect-page.ts'
import type { NextTurn } from './reading-turns.ts'
import type { RunningStreams } from './running-streams.ts'
import { sendEvents } from './send-events.ts'
import type { EndReason } from './stream-ended.ts'
import { StreamOutput } from './stream-output.ts'
import type { StreamSelection } from './stream-selection.ts'

/** The state of one client's reading. */
export type Reading = {
  source: ChangeSource
  position: Position
  selection: StreamSelection
  cursor: () => string
  /** Aborts if the log lost records that were already read. */
  lost: AbortSignal
  /** Aborts if the stream ends for one of a tenant with fewer streams. */
  crowdedOut: AbortSignal
  nextTurn: NextTurn
  onEvents: (count: number) => void
}

export type Writing = {
  reading: Reading
  res: ServerResponse
  query: Pick<StreamQuery, 'limit' | 'wait'>
  heartbeatMs: number
  running: RunningStreams
  isAdmitted: () => boolean
  context: Pick<RequestContext, 'req' | 'signal' | 'log'>
}

const defaultLimit = 100
const unbuffered = {
  'Cache-Control': 'no-store',
  // Without this header nginx buffers answers.
  'X-Accel-Buffering': 'no',
}

/** Resolves with the reason for the end of the stream. */
export async function writeEvents(writing: Writing): Promise<EndReason> {
  const { reading, res, heartbeatMs, context } = writing
  res.writeHead(200, { 'Content-Type': eventStream, ...unbuffered })
  const output = new StreamOutput(res)
  const sending = { ...reading, output, heartbeatMs }
  const isHead = context.req.method === 'HEAD'
  const end = await run(writing, async (signal) => isHead || sendEvents({ ...sending, signal }))
  const reason = end?.reason ?? 'client'
  if (reason === 'failed') context.log.warn({ err: end?.err }, 'stream.failed')
  output.end(reason)
  return reason
}

/** Resolves with `null` when the page was sent. Rejects before anything is written. */
export async function writePage(writing: Writing): Promise<EndReason | null> {
  const { reading, res, query } = writing
  const { limit = defaultLimit, wait = 0 } = query
  let page: Page | null = null
  const end = await run(writing, async (signal) => {
    page = await collectPage({ ...reading, limit, waitMs: wait * 1_000, now: Date.now, signal })
  })
  if (end?.reason === 'client') return end.reason
  if (page === null) throw unavailable('The page was not read to its end', end?.err)
  sendPage(res, page)
  reading.onEvents((page as Page).events)
  return null
}

function sendPage(res: ServerResponse, { text, cursor }: Page): void {
  res.writeHead(200, {
    'Content-Type': ndjson,
    'Content-Length': Buffer.byteLength(text),
    [nextCursorHeader]: cursor,
    ...unbuffered,
  })
  res.end(text)
}

function run(
  { running, isAdmitted, context, reading }: Writing,
  work: (signal: AbortSignal) => Promise<unknown>,
) {
  return running.run(work, isAdmitted, [
    { signal: context.signal, reason: 'client' },
    { signal: reading.lost, reason: 'log_lost' },
    { signal: reading.crowdedOut, reason: 'crowded' },
  ])
}
