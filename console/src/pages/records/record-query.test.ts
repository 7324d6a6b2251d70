import { describe, expect, it } from '@jest/globals'
import { pageSize, recordQueryOf } from './record-query.ts'

const queryOf = (text: string) => recordQueryOf(new URLSearchParams(text))

describe('the list of records', () => {
  it('asks for what its URL says', () => {
    const params = new URLSearchParams({ where: '{"a":1}', order: '-a', cursor: 'c' })
    expect(recordQueryOf(params)).toEqual({
      query: { limit: pageSize, where: { a: 1 }, order: '-a', cursor: 'c' },
      violations: [],
    })
    expect(queryOf('')).toEqual({ query: { limit: pageSize, order: '-id' }, violations: [] })
  })

  it.each(['{', '[1]', 'null', '7'])('refuses the filter %s', (where) => {
    expect(recordQueryOf(new URLSearchParams({ where })).violations).toEqual([
      { field: 'where', message: 'must be a JSON object' },
    ])
  })
})
