import { describe, expect, it } from '@jest/globals'
import type { Finding } from './finding.ts'
import { judgeSettings } from './postgres/judge-settings.ts'
import { judgeSlot } from './postgres/judge-slots.ts'
import type { SlotRow } from './postgres/read-slots.ts'
import { judgeRedis } from './redis/judge-redis.ts'
import { infoOf } from './redis/redis-info.ts'

const levels = (findings: readonly Finding[]) => findings.map(({ level }) => level)
const faults = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ level, says }) => `${level}: ${says}`)

describe('a finding that is not ok', () => {
  it('always has advice', () => {
    const findings = [
      ...judgeSettings({}, { slots: 3 }),
      ...judgeSlot('data-api', []),
      ...judgeRedis({}),
    ].filter(({ level }) => level === 'wrong' || level === 'warn')
    expect(findings.length).toBeGreaterThan(4)
    for (const { advice } of findings) expect(advice).toMatch(/^[A-Z].+\.$/)
  })
})

const goodSettings = {
  server_version: '17.2',
  server_version_num: '170002',
  wal_level: 'logical',
  max_replication_slots: '10',
  max_wal_senders: '10',
  max_slot_wal_keep_size: '-1',
  synchronous_commit: 'on',
  fsync: 'on',
  full_page_writes: 'on',
}

describe('judgeSettings', () => {
  it.each([
    [{}, []],
    [{ wal_level: 'replica' }, ['wrong: wal_level is replica']],
    [{ max_replication_slots: '2' }, ['wrong: max_replication_slots is 2']],
    [{ server_version_num: '130010', server_version: '13.10' }, ['wrong: version 13.10']],
    [{ fsync: 'off' }, ['wrong: fsync is off: what was answered may be gone after a crash']],
  ])('judges %j', (given, expected) => {
    expect(faults(judgeSettings({ ...goodSettings, ...given }, { slots: 3 }))).toEqual(expected)
  })

  it.each([
    ['-1', /-1: PostgreSQL drops no slot, .* fills the disk$/],
    ['65536', /65536 MB: a relay .* loses its slot/],
  ])('explains the risk of a max_slot_wal_keep_size of %s without a warning', (kept, said) => {
    const findings = judgeSettings({ ...goodSettings, max_slot_wal_keep_size: kept }, { slots: 3 })
    expect(faults(findings)).toEqual([])
    expect(findings.at(-1)?.says).toMatch(said)
  })
})

describe('judgeSlot', () => {
  const good: SlotRow = {
    slot: 'surehook_data_api',
    active: true,
    status: 'reserved',
    lagBytes: 0,
    retainedBytes: 0,
  }

  it.each([
    [{}, 'ok'],
    [{ active: false }, 'wrong'],
    [{ status: 'lost' }, 'wrong'],
    [{ status: 'unreserved' }, 'wrong'],
    [{ lagBytes: 2 ** 30 }, 'warn'],
    [{ slot: 'surehook_other' }, 'wrong'],
  ])('judges %j as %s', (given, level) => {
    expect(levels(judgeSlot('data-api', [{ ...good, ...given }]))).toEqual([level])
  })
})

describe('judgeRedis', () => {
  const info =
    '# Server\r\nredis_version:8.0.1\r\nmaxmemory_policy:noeviction\r\nused_memory:95\r\nmaxmemory:0\r\n'

  it.each([
    ['', ['ok', 'ok']],
    ['redis_version:6.2.11', ['ok', 'ok']],
    ['redis_version:6.0.16', ['wrong', 'ok']],
    ['redis_version:5.9.9', ['wrong', 'ok']],
    ['redis_version:', ['warn', 'ok']],
    ['maxmemory_policy:allkeys-lru', ['ok', 'ok', 'wrong']],
    ['maxmemory:100', ['ok', 'ok', 'warn']],
    ['role:slave', ['ok', 'ok', 'wrong']],
  ])('judges %s as %j', (line, expected) => {
    expect(levels(judgeRedis(infoOf(`${info}${line}`)))).toEqual(expected)
  })
})
