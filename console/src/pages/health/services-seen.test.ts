import { expect, it } from '@jest/globals'
import { servicesSeen } from './services-seen.ts'

const group = (name: string, members: number) => ({
  ...{ group: name, state: 'Stable', members, lag: 0 },
  lost: [],
})
const slot = (name: string, active: boolean) => ({
  ...{ slot: name, active, status: 'reserved', lagBytes: 0, retainedBytes: 0 },
})
const statesOf = (...given: Parameters<typeof servicesSeen>) =>
  Object.fromEntries(servicesSeen(...given).map(({ name, state }) => [name, state]))

it('shows what runs by its slot and by its consumers', () => {
  const health = {
    groups: [group('webhook-api', 2), group('webhook-matcher', 1), group('webhook-dispatcher', 0)],
    slots: [slot('surehook_auth_service', true), slot('surehook_data_api', false)],
  }
  expect(statesOf(health, 'ready')).toEqual({
    gateway: 'Ready',
    'auth-service': 'Runs',
    'data-api': 'Not seen',
    'postgres-source': 'Unknown',
    'webhook-api': 'Runs',
    'webhook-matcher': 'Runs',
    'webhook-dispatcher': 'Not seen',
  })
})

it('claims nothing of what it cannot see', () => {
  const states = statesOf({ groups: null, slots: null }, 'not ready')
  expect(states).toMatchObject({ gateway: 'Not ready', 'data-api': 'Unknown' })
  expect(new Set(Object.values(statesOf(undefined, undefined)))).toEqual(new Set(['Unknown']))
})
