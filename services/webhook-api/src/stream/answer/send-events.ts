import type { Position } from '../cursor/position.ts'
import type { ChangeSource, OwnPiece, Portion } from '../log/change-source.ts'
import { sseEvent, sseHeartbeat, sseStart } from './framing.ts'
import { type NextTurn, turnEnd } from './reading-turns.ts'
import type { StreamOutput } from './stream-output.ts'
import type { Selected, StreamSelection } from './stream-selection.ts'

export type Sending = {
  source: Pick<ChangeSource, 'next'>
  output: StreamOutput
  /** The position behind everything that was written or does not match. */
  position: Position
  selection: StreamSelection
  /** Returns the cursor of the current position. */
  cursor: () => string
  heartbeatMs: number
  onEvents: (count: number) => void
  nextTurn: NextTurn
  signal: AbortSignal
}

const chunkChars = 32_768

/**
 * Sends events until it throws: the reason of the signal, or an `OutOfLogError`. While the client
 * reads nothing, no records are held for it. They are fetched again afterwards.
 */
export async function sendEvents(sending: Sending): Promise<never> {
  const { source, output, cursor, selection, heartbeatMs, signal } = sending
  await output.write(sseStart(cursor(), selection.view ?? null), signal)
  for (;;) {
    await output.writable(signal)
    await sendNext(sending, await source.next(Math.max(0, heartbeatMs - output.quietMs), signal))
    if (output.quietMs >= heartbeatMs) await output.write(sseHeartbeat(cursor()), signal)
  }
}

async function sendNext(sending: Sending, portion: Portion | null): Promise<void> {
  if (portion === null) return
  using held = portion
  for (const piece of held.pieces) {
    if (!(await sendPiece(sending, piece))) return
  }
}

/** Resolves with true if the client takes more. */
async function sendPiece(sending: Sending, piece: OwnPiece): Promise<boolean> {
  const { output, position, onEvents, nextTurn, signal } = sending
  for (let at = 0; at < piece.entries.length; ) {
    await nextTurn(piece.entries.length, signal)
    const { text, events, end } = await readChunk(sending, piece, at)
    at = end
    if (at === piece.entries.length) position.advance(piece.partition, piece.next)
    if (text === '') continue
    onEvents(events)
    if (!(await output.write(text, signal))) return false
  }
  position.advance(piece.partition, piece.next)
  return true
}

/**
 * The text of the next events, of which the last has the cursor, and the index of the first entry
 * behind them.
 */
type Chunk = { text: string; events: number; end: number }

async function readChunk(
  { position, selection, cursor }: Sending,
  { partition, entries }: OwnPiece,
  begin: number,
): Promise<Chunk> {
  const isOver = turnEnd()
  const chunk = { text: '', events: 0, end: begin }
  let last: Selected | null = null
  while (chunk.end < entries.length && chunk.text.length < chunkChars && !isOver()) {
    const entry = entries[chunk.end++]
    if (entry === undefined || entry.offset < position.at(partition)) continue
    const change = await entry.change()
    position.advance(partition, entry.offset + 1)
    const selected = change === null ? null : await selection.of(change)
    if (selected === null) continue
    if (last !== null) chunk.text += sseEvent(last)
    last = selected
    chunk.events += 1
  }
  // A cursor of 100 partitions is longer than most events, and costs a MAC.
  if (last !== null) chunk.text += sseEvent(last, cursor())
  return chunk
}
