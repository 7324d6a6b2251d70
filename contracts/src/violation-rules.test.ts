import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { accountRules, dataRules, requestRules } from './violation-rules.ts'

const page = readFileSync(new URL('../../docs/reference/violations.md', import.meta.url), 'utf8')

describe('the page of violations', () => {
  it.each([
    ['Faults of a request', requestRules],
    ['Faults of an account', accountRules],
    ['Faults of records, tables and webhooks', dataRules],
  ])('lists under "%s" every rule and its meaning', (heading, rules) => {
    const [, after = ''] = page.split(`\n## ${heading}\n`)
    const [section = ''] = after.split('\n## ')
    const rows = [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)]
    expect(rows.map(([, name, meaning]) => [name, meaning])).toEqual(Object.entries(rules))
  })
})
