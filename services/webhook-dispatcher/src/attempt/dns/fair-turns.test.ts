import { expect, it } from '@jest/globals'
import { FairTurns } from './fair-turns.ts'

function setUp(most: { each: number; all: number }) {
  const turns = new FairTurns(most)
  const started: string[] = []
  const ends: (() => void)[] = []
  const ask = (tenant: string) =>
    turns.run(tenant, () => {
      started.push(tenant)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const endNext = async () => {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  return { started, ask, endNext }
}

it('serves waiting tenants in turn, however many requests one of them has', async () => {
  const { started, ask, endNext } = setUp({ each: 2, all: 2 })
  const all = [...Array<string>(6).fill('greedy'), 'a', 'b'].map(ask)
  await new Promise(setImmediate)
  expect(started).toEqual(['greedy', 'greedy'])
  for (let n = 0; n < 6; n++) await endNext()
  expect(started.slice(2).toSorted()).toEqual(['a', 'b', ...Array<string>(4).fill('greedy')])
  expect(started.slice(2, 5)).toEqual(expect.arrayContaining(['a', 'b']))
  for (let n = 0; n < 2; n++) await endNext()
  await Promise.all(all)
})

it('leaves the rest to others when a tenant is at its limit', async () => {
  const { started, ask, endNext } = setUp({ each: 1, all: 10 })
  const all = ['a', 'a', 'b'].map(ask)
  await new Promise(setImmediate)
  expect(started).toEqual(['a', 'b'])
  for (let n = 0; n < 3; n++) await endNext()
  await Promise.all(all)
  expect(started).toEqual(['a', 'b', 'a'])
})

it('frees the turn of work that fails', async () => {
  const turns = new FairTurns({ each: 1, all: 1 })
  const failing = turns.run('a', () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  expect(await turns.run('b', async () => 1)).toBe(1)
})
