import type { InstallationHealth } from '@surehook/client'
import type { GatewayState } from '../../api/gateway-state.ts'
import { plural } from '../../parts/data/numbers.ts'
import type { Tone } from '../../parts/data/status-badge.tsx'

export type ServiceSeen = { name: string; tone: Tone; state: string; seenBy: string }

type SeenParts = Pick<InstallationHealth, 'groups' | 'slots'>

const unknown = { tone: 'quiet', state: 'Unknown' } as const
const runs = { tone: 'good', state: 'Runs' } as const
const missing = { tone: 'bad', state: 'Not seen' } as const

/**
 * The signs that each service runs. The gateway reaches one replica of a service at a time, so the
 * readiness of each replica stays unknown.
 */
export function servicesSeen(health: SeenParts | undefined, gateway: GatewayState): ServiceSeen[] {
  return [
    { name: 'gateway', ...gatewaySeen(gateway) },
    ...['auth-service', 'data-api'].map((name) => ({ name, ...relaySeen(health?.slots, name) })),
    // It has neither a slot here nor a consumer group.
    { name: 'postgres-source', ...unknown, seenBy: 'Its metrics' },
    ...['webhook-api', 'webhook-matcher', 'webhook-dispatcher'].map((name) => ({
      name,
      ...membersSeen(health?.groups, name),
    })),
  ]
}

function gatewaySeen(gateway: GatewayState): Omit<ServiceSeen, 'name'> {
  const seenBy = 'Its /readyz'
  if (gateway === undefined) return { ...unknown, seenBy }
  if (gateway === 'ready') return { tone: 'good', state: 'Ready', seenBy }
  return { tone: 'bad', state: 'Not ready', seenBy }
}

function relaySeen(slots: SeenParts['slots'] | undefined, name: string): Omit<ServiceSeen, 'name'> {
  const slot = `surehook_${name.replaceAll('-', '_')}`
  if (slots === null || slots === undefined) return { ...unknown, seenBy: `Slot ${slot}` }
  const isRead = slots.some((one) => one.slot === slot && one.active)
  if (isRead) return { ...runs, seenBy: `A replica reads slot ${slot}` }
  return { ...missing, seenBy: `Nobody reads slot ${slot}` }
}

function membersSeen(
  groups: SeenParts['groups'] | undefined,
  name: string,
): Omit<ServiceSeen, 'name'> {
  const group = groups?.find((one) => one.group === name)
  if (group === undefined) return { ...unknown, seenBy: `Consumer group ${name}` }
  const { members } = group
  const seenBy = `${plural(members, 'member')} of its consumer group`
  return members > 0 ? { ...runs, seenBy } : { ...missing, seenBy }
}
