import { describe, expect, it } from '@jest/globals'
import { type Permit, Permits } from './permits.ts'

const live = new AbortController().signal

/** Takes permits of many tenants and notes who got one, in order. */
function takers(limits: { total: number; perTenant: number }) {
  const permits = new Permits(limits)
  const got: string[] = []
  const held = new Map<string, Permit>()
  const take = (tenant: string, name: string, signal = live): Promise<void> =>
    permits.take(tenant, signal).then((permit) => {
      got.push(name)
      held.set(name, permit)
    })
  const settled = () => new Promise(setImmediate)
  /** Resolves when the next waiting tenant has the freed permit. */
  const free = async (name: string) => {
    await settled()
    const permit = held.get(name)
    if (permit === undefined) throw new Error(`${name} holds no permit`)
    permit[Symbol.dispose]()
    await settled()
  }
  return { got, take, free }
}

describe('permits', () => {
  it('leave room for others, however many requests of one tenant wait', async () => {
    const { got, take, free } = takers({ total: 32, perTenant: 4 })
    for (let n = 0; n < 100; n++) void take('flood', `f${n}`)
    await take('quiet', 'q')
    expect(got).toEqual(['f0', 'f1', 'f2', 'f3', 'q'])
    await free('f1')
    await free('q')
    expect(got).toEqual(['f0', 'f1', 'f2', 'f3', 'q', 'f4'])
  })

  it('go to the waiting tenant that holds the fewest, and among equals to the first', async () => {
    const { got, take, free } = takers({ total: 3, perTenant: 3 })
    for (const name of ['a0', 'a1', 'a2', 'a3', 'a4']) void take('a', name)
    for (const name of ['b0', 'b1', 'b2']) void take('b', name)
    void take('c', 'c0')
    await free('a0')
    await free('a1')
    expect(got.slice(3)).toEqual(['b0', 'c0'])
    await free('c0')
    // Now `a` and `b` hold one each, and `a` has waited longer.
    expect(got.slice(5)).toEqual(['a3'])
    await free('b0')
    expect(got.slice(6)).toEqual(['b1'])
  })

  it('are freed once, and not given to a request that was aborted', async () => {
    const { got, take, free } = takers({ total: 1, perTenant: 1 })
    await take('a', 'a0')
    const leaving = new AbortController()
    const left = take('b', 'b0', leaving.signal)
    void take('c', 'c0')
    void take('d', 'd0')
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await expect(take('a', 'a1', leaving.signal)).rejects.toThrow('gone')
    await free('a0')
    await free('a0')
    expect(got).toEqual(['a0', 'c0'])
  })
})
