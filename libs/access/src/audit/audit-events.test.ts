import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { auditEvents } from './audit-events.ts'

const page = new URL('../../../../docs/reference/audit-trail.md', import.meta.url)

describe('the page of the audit trail', () => {
  it('lists every event with its condition', () => {
    const [, events = ''] = readFileSync(page, 'utf8').split('\n## Events\n')
    const [section = ''] = events.split('\n## ')
    const rows = [...section.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)]
    expect(rows.map(([, name, when]) => [name, when])).toEqual(Object.entries(auditEvents))
  })
})
