import { expect, it } from '@jest/globals'
import type { Source } from '@surehook/client'
import { keptWal, missingSql } from './source-state.ts'

const source = { retainedBytes: null, walBudget: 2 ** 30, findings: [] } as unknown as Source

it('says how much of the budget the kept WAL takes', () => {
  expect(keptWal({ ...source, retainedBytes: 512 * 2 ** 20 })).toBe('512.0 MiB of 1.0 GiB')
  expect(keptWal(source)).toBe('unknown, of 1.0 GiB')
})

it('gives the statements of all findings in their order', () => {
  const finding = { level: 'wrong', relation: null, says: '', advice: null } as const
  const findings = [
    { ...finding, sql: ['CREATE PUBLICATION a;', 'GRANT b;'] },
    { ...finding, sql: [] },
    { ...finding, sql: ['ALTER c;'] },
  ]
  expect(missingSql({ ...source, findings })).toBe('CREATE PUBLICATION a;\nGRANT b;\nALTER c;')
})
