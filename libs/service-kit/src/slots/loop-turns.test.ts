import { expect, it } from '@jest/globals'
import { LoopTurns } from './loop-turns.ts'

const rounds = async (count: number) => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve))
}

it('each round of the event loop has one turn, and the owners take turns', async () => {
  const turns = new LoopTurns()
  const order: string[] = []
  const take = async (owner: string) => {
    await turns.next(owner)
    order.push(owner)
  }
  const taking = [...Array.from({ length: 5 }, () => take('many')), take('other')]
  for (let round = 1; round <= 6; round++) {
    await rounds(1)
    order.push('round')
  }
  await Promise.all(taking)
  const perRound = order.join().split('round')
  expect(perRound.map((of) => of.split(',').filter(Boolean).length)).not.toContain(2)
  expect(order.filter((of) => of === 'many')).toHaveLength(5)
  expect(order.filter((of) => of !== 'round').indexOf('other')).toBeLessThan(3)
})

it('a caller that waits leaves with its signal', async () => {
  const turns = new LoopTurns()
  const first = turns.next('a')
  const stop = new AbortController()
  const second = turns.next('a', stop.signal)
  stop.abort(new Error('gone'))
  await expect(second).rejects.toThrow('gone')
  await first
})
