import type { Position } from '../cursor/position.ts'
import type { ChangeSource, OwnPiece, Portion } from '../log/change-source.ts'
import { sseEvent, sseHeartbeat, sseStart } from './framing.ts'
import type { StreamOutput } from './stream-output.ts'
import type { StreamSelection } from './stream-selection.ts'

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
  signal: AbortSignal
}

const chunkChars = 32_768

/**
 * Sends events until it throws: the reason of the signal, or an `OutOfLogError`. While the client
 * reads nothing, no records are held for it. They are fetched again afterwards.
 */
export async function sendEvents(sending: Sending): Promise<never> {
  const { source, output, cursor, heartbeatMs, signal } = sending
  await output.write(sseStart(cursor()), signal)
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
async function sendPiece(
  sending: Sending,
  { partition, next, entries }: OwnPiece,
): Promise<boolean> {
  const { output, position, selection, cursor, signal } = sending
  let text = ''
  let events = 0
  const flush = async () => {
    if (text === '') return true
    sending.onEvents(events)
    const chunk = text
    text = ''
    events = 0
    return output.write(chunk, signal)
  }
  for (const entry of entries) {
    if (entry.offset < position.at(partition)) continue
    const change = await entry.change()
    position.advance(partition, entry.offset + 1)
    if (change === null || !selection.matches(change)) continue
    text += sseEvent({ event: change.event, select: selection.select, cursor: cursor() })
    events += 1
    if (text.length >= chunkChars && !(await flush())) return false
  }
  position.advance(partition, next)
  return flush()
}
