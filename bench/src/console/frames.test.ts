import { expect, it } from '@jest/globals'
import { framesOf } from './frames.ts'

const drawn = (...ms: number[]) => ms.map((at) => ({ name: 'DrawFrame', ts: at * 1_000 }))

it('counts the frames that were drawn, and finds the longest wait', () => {
  const events = [...drawn(100, 140, 120, 200), { name: 'DroppedFrame', ts: 150_000 }]
  expect(framesOf(events)).toEqual({ perSecond: 30, dropped: 1, longestMs: 60 })
})
