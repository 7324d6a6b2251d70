import { expect, it } from '@jest/globals'
import { type Client, DatabaseError } from 'pg'
import { tryRow } from './refused-rows.ts'

const db = { query: async () => ({ rows: [] }) } as unknown as Client
const failing = (code: string) => async () => {
  throw Object.assign(new DatabaseError('refused', 0, 'error'), { code })
}

it('goes on after an error that only concerns the row', async () => {
  const reasons = ['22001', '23505', '42703'].map((code) => tryRow(db, failing(code)))
  expect(await Promise.all(reasons)).toEqual(['refused', 'refused', 'refused'])
  expect(await tryRow(db, async () => {})).toBeNull()
})

it.each(['42501', '57014'])('ends with the error %s, which concerns every row', async (code) => {
  await expect(tryRow(db, failing(code))).rejects.toMatchObject({ code })
})
