import type { ComponentName } from '@surehook/scripts/local-stack/component'
import { type ServiceName, serviceNames } from '@surehook/scripts/system/service-catalog'
import { type Random, randomFrom } from './random.ts'

export const kinds = [
  'kill',
  'stop',
  'restart',
  'partition',
  'slow-disk',
  'clock',
  'scale',
  'rolling',
] as const
export type Kind = (typeof kinds)[number]

export const components = ['kafka', 'postgres', 'redis', 'registry'] as const

/** `system` means all services, one after another. */
export type Target = ServiceName | ComponentName | 'system'

export const targets: readonly Target[] = [...serviceNames, ...components, 'system']

/** The components that each service reaches through a link that can be cut. */
export const needs: Readonly<Record<ServiceName, readonly ComponentName[]>> = {
  'auth-service': ['kafka', 'registry', 'postgres', 'redis'],
  'data-api': ['kafka', 'registry', 'postgres'],
  'postgres-source': ['kafka', 'registry', 'postgres'],
  'webhook-api': ['kafka', 'registry', 'postgres'],
  'webhook-matcher': ['kafka', 'registry'],
  'webhook-dispatcher': ['kafka', 'registry', 'redis'],
  gateway: [],
}

/** The random choices of one fault. */
export type Trial = {
  kind: Kind
  target: Target
  /** Which of a service's two replicas. */
  victims: 'first' | 'second' | 'both'
  seconds: number
  /** The component that a service loses. If the target is a component, all services lose it. */
  from: ComponentName | null
  link: 'drop' | 'reset' | 'delay'
  linkDelayMs: number
  /** The clock is first this much ahead, then this much behind, then right. */
  clockAheadMs: number
  diskLateMs: number
  /** The number of writers per transport; each pauses for `pauseMs` after a change. */
  writers: { rest: number; graphql: number; topic: number; http: number }
  pauseMs: number
  /** Seconds of load before the fault. */
  leadS: number
}

export type PlanOptions = {
  seed: number
  kinds: readonly Kind[]
  targets: readonly Target[]
  rounds: number
  stopSeconds: number
}

/** The same seed and options give the same plan. */
export function makePlan(options: PlanOptions): Trial[] {
  const random = randomFrom(options.seed)
  const faults = kinds.flatMap((kind) =>
    targetsOf(kind).flatMap((target) =>
      losses(kind, target).map((from) => ({ kind, target, from })),
    ),
  )
  return Array.from({ length: options.rounds }, () =>
    // Draws all faults, also unselected ones, so that `--only` does not change the selected ones.
    random.shuffled(faults).map((fault) => draw(fault, options.stopSeconds, random)),
  )
    .flat()
    .filter(({ kind, target }) => options.kinds.includes(kind) && options.targets.includes(target))
}

function targetsOf(kind: Kind): readonly Target[] {
  switch (kind) {
    case 'kill':
    case 'stop':
    case 'restart':
      return [...serviceNames, ...components]
    case 'partition':
      return [...serviceNames.filter((service) => needs[service].length > 0), ...components]
    case 'slow-disk':
      return ['kafka', 'postgres', 'registry']
    case 'clock':
    case 'scale':
      return serviceNames
    case 'rolling':
      return ['system']
  }
}

/** A service loses each of its components in turn. A component is lost by all services at once. */
function losses(kind: Kind, target: Target): readonly (ComponentName | null)[] {
  const service = serviceNames.find((name) => name === target)
  return kind === 'partition' && service !== undefined ? needs[service] : [null]
}

const hourMs = 3_600_000

function draw(
  fault: Pick<Trial, 'kind' | 'target' | 'from'>,
  stopSeconds: number,
  random: Random,
): Trial {
  const shortSeconds = random.int(0, 6)
  const longSeconds = random.int(5, 20)
  const lasting: Partial<Record<Kind, number>> = { stop: stopSeconds, kill: shortSeconds }
  return {
    ...fault,
    victims: random.pick(['first', 'second', 'both']),
    seconds: lasting[fault.kind] ?? longSeconds,
    link: random.pick(['drop', 'drop', 'reset', 'delay']),
    linkDelayMs: random.int(50, 500),
    clockAheadMs: random.pick([
      hourMs,
      -hourMs,
      2 * hourMs,
      -2 * hourMs,
      26 * hourMs,
      -26 * hourMs,
    ]),
    diskLateMs: random.int(20, 400),
    writers: {
      rest: random.int(4, 8),
      graphql: random.int(2, 5),
      topic: random.int(2, 5),
      http: random.int(2, 5),
    },
    pauseMs: random.int(80, 160),
    leadS: random.int(2, 5),
  }
}
