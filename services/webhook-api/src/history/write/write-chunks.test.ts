import { describe, expect, it } from '@jest/globals'
import { chunksOf, mayPassByHalves, writeByHalves } from './write-chunks.ts'

const refusal = (code: string) => Object.assign(new Error('refused'), { code })
const timeout = refusal('57014')

describe('chunksOf', () => {
  it('fills chunks up to either limit, and splits no group', () => {
    const groups = [[1, 1], [1], [3], [1, 1, 1], [9], [1]]
    const chunks = chunksOf(groups, (size) => size, { items: 3, bytes: 5 })
    expect(chunks).toEqual([[1, 1, 1], [3], [1, 1, 1], [9], [1]])
    expect(chunksOf([], () => 1)).toEqual([])
  })
})

describe('writeByHalves', () => {
  it('writes everything, however few rows succeed at once', async () => {
    const written: number[][] = []
    const tries: number[] = []
    await writeByHalves([1, 2, 3, 4, 5], async (items) => {
      tries.push(items.length)
      if (items.length > 2) throw timeout
      written.push([...items])
    })
    expect(written).toEqual([[1, 2], [3], [4, 5]])
    expect(tries).toEqual([5, 3, 2, 1, 2])
  })

  it.each([
    ['a single item takes too long', [1], timeout],
    ['nobody can be connected to', [1, 2], new Error('timeout exceeded when trying to connect')],
  ])('gives up where %s', async (_what, items, error) => {
    let tries = 0
    const write = async () => {
      tries++
      throw error
    }
    await expect(writeByHalves(items, write)).rejects.toBe(error)
    expect(tries).toBe(1)
  })
})

describe('mayPassByHalves', () => {
  it.each(['57014', '55P03', '53200', '23514', '54000', 'P0001', 'XX001'])(
    'SQLSTATE %s depends on the rows',
    (code) => expect(mayPassByHalves(refusal(code))).toBe(true),
  )

  // A server that stops, a missing login or table, a full disk, a deadlock.
  it.each(['57P01', '08006', '28P01', '42P01', '53100', '53300', '40P01', '25006'])(
    'SQLSTATE %s is the same for each half',
    (code) => expect(mayPassByHalves(refusal(code))).toBe(false),
  )
})
