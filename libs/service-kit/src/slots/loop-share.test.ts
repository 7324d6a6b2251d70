import { expect, it } from '@jest/globals'
import { LoopShare } from './loop-share.ts'

function busyFor(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

it('long work in pieces lets the event loop run between them', async () => {
  const share = new LoopShare()
  let rounds = 0
  const counting = setInterval(() => rounds++, 0)
  for (let piece = 0; piece < 4; piece++) {
    busyFor(6)
    await share.yieldWhenLong()
  }
  clearInterval(counting)
  expect(rounds).toBeGreaterThanOrEqual(2)
})

it('short work goes on without a wait', async () => {
  const share = new LoopShare()
  let hasRun = false
  setImmediate(() => (hasRun = true))
  await share.yieldWhenLong()
  expect(hasRun).toBe(false)
})
