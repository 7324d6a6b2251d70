import { type DestinationStream, destination } from 'pino'

export type GatheredLines = DestinationStream & {
  /** Writes all buffered lines. The process also does so before it exits by itself. */
  flushSync(): void
}

const gatherForMs = 20
const maxGatheredLength = 8 * 1024

/**
 * Buffers lines for 20 ms and writes them together. One write per line takes a tenth of a busy
 * gateway's CPU time. A killed process loses the lines of its last 20 ms.
 */
export function openGatheredLines(dest: number | string = 1): GatheredLines {
  // `destination` itself buffers nothing: its `flushSync` waits for the disk and blocks the event
  // loop for milliseconds.
  const out = destination({ dest, sync: true })
  let gathered = ''
  let timer: NodeJS.Timeout | undefined
  const flushSync = () => {
    clearTimeout(timer)
    timer = undefined
    const lines = gathered
    gathered = ''
    if (lines !== '') out.write(lines)
  }
  process.once('exit', flushSync)
  return {
    write(line) {
      gathered += line
      if (gathered.length >= maxGatheredLength) flushSync()
      else timer ??= setTimeout(flushSync, gatherForMs).unref()
    },
    flushSync,
  }
}
