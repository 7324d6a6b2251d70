import { expect, it } from '@jest/globals'
import type { SubscriptionVersion } from '@surehook/contracts/events'
import { filterLimits } from '@surehook/contracts/filter/filter'
import { Select } from '@surehook/contracts/http/webhooks/webhooks'
import { aSubscription } from '@surehook/contracts/testing/samples'
import { eventSchemas } from '@surehook/schemas/event-schemas'
import { versionsThatFit } from './versions-that-fit.ts'

const twoMiB = 2 * 1024 * 1024
const longestFilter = `{"a":"${'x'.repeat(filterLimits.bytes)}"}`
const longestSelect = Array.from({ length: 500 }, (_, n) => `${n}`.padEnd(128, '値'))

const versionsOf = (count: number, select: string[] | null): SubscriptionVersion[] =>
  Array.from({ length: count }, (_, n) => ({
    walPosition: `7/00000001/${n.toString(16).padStart(16, '0')}`,
    updatedAt: new Date(n).toISOString(),
    active: true,
    table: 'orders',
    events: ['INSERT', 'UPDATE', 'DELETE'],
    filter: longestFilter,
    select,
  }))

it('keeps 20 versions with the longest filters', () => {
  const versions = versionsOf(20, null)
  expect(versionsThatFit(versions)).toEqual(versions)
})

it('keeps the newest ones with the longest selections, so that Kafka takes the state', () => {
  const select = Select.parse(longestSelect)
  const versions = versionsOf(20, select)
  const kept = versionsThatFit(versions)
  expect(kept).toEqual(versions.slice(-kept.length))
  expect(kept.length).toBeGreaterThan(1)
  const state = aSubscription({ filter: longestFilter, select, versions: kept })
  const { type } = eventSchemas.subscription
  expect(type.toBuffer(state).length).toBeLessThan(twoMiB)
  expect(type.toBuffer({ ...state, versions }).length).toBeGreaterThan(twoMiB)
})
