import { expect, it } from '@jest/globals'
import { pino } from 'pino'
import { retryUntilReady } from './lifecycle.ts'

function loggedLines() {
  const lines: Record<string, unknown>[] = []
  const write = (text: string) => void lines.push(JSON.parse(text) as Record<string, unknown>)
  return { lines, log: pino({ base: null, timestamp: false }, { write }) }
}

it('retries until it succeeds, and logs each failure', async () => {
  const { lines, log } = loggedLines()
  let tries = 0
  const result = await retryUntilReady(
    'database',
    async () => {
      if (++tries < 3) throw new Error('refused')
      return 'open'
    },
    { log, signal: new AbortController().signal },
  )
  expect(result).toBe('open')
  const waiting = {
    level: 40,
    msg: 'dependency.waiting',
    dependency: 'database',
    reason: 'refused',
  }
  expect(lines).toEqual([
    { ...waiting, tries: 1, retryInMs: 200 },
    { ...waiting, tries: 2, retryInMs: 400 },
    { level: 30, msg: 'dependency.ready', dependency: 'database', tries: 3 },
  ])
})

it('stops waiting when its signal aborts', async () => {
  const stop = new AbortController()
  const { log } = loggedLines()
  const waiting = retryUntilReady(
    'database',
    async () => {
      stop.abort(new DOMException('SIGTERM', 'AbortError'))
      throw new Error('refused')
    },
    { log, signal: stop.signal },
  )
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})
