import { describe, expect, it } from '@jest/globals'
import { createLogger } from './log.ts'

function logged(fields: object): Record<string, unknown> {
  let line = ''
  createLogger('test', 'info', { write: (text) => void (line = text) }).info(fields, 'it.happened')
  return JSON.parse(line) as Record<string, unknown>
}

describe('createLogger', () => {
  it('writes one JSON object per line, with a readable level and time', () => {
    expect(logged({ count: 1 })).toMatchObject({
      level: 'info',
      name: 'test',
      msg: 'it.happened',
      count: 1,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
  })

  it('redacts secrets at any depth, and keeps other fields', () => {
    const line = logged({
      token: 'mt_1',
      req: { headers: { Authorization: 'Bearer mt_2', host: 'a' } },
      list: [{ secret: 'whsec_3', id: 7 }],
      err: new Error('kept'),
    })
    expect(JSON.stringify(line)).not.toMatch(/mt_1|mt_2|whsec_3/)
    expect(line).toMatchObject({
      req: { headers: { host: 'a' } },
      list: [{ id: 7 }],
      err: { message: 'kept' },
    })
  })

  it('omits the fields in which a PostgreSQL error quotes a row', () => {
    const detail = 'Key (email)=(ada@example.com) already exists.'
    const err = Object.assign(new Error('duplicate key'), { code: '23505', detail, where: detail })
    const line = logged({ err })
    expect(line).toMatchObject({ err: { message: 'duplicate key', code: '23505' } })
    expect(JSON.stringify(line)).not.toContain('ada@')
  })

  it('does not change its input', () => {
    const fields = { inner: { password: 'p' } }
    logged(fields)
    expect(fields).toEqual({ inner: { password: 'p' } })
  })
})
