import { serviceNames } from '@surehook/scripts/system/service-catalog'
import type { Target, Trial } from './plan.ts'
import type { Outcome } from './run-trial.ts'
import { seconds } from './seconds.ts'

/** Describes the fault in words. */
export function describeTrial(trial: Trial): string {
  const { kind, target, seconds: lasts, clockAheadMs, diskLateMs } = trial
  switch (kind) {
    case 'kill':
      return `${whom(trial)} killed, ${lasts} s later started again`
    case 'stop':
      return `${whom(trial)} stopped for ${lasts} s`
    case 'restart':
      return `${whom(trial)} restarted`
    case 'partition':
      return `${whom(trial)} ${way(trial)} for ${lasts} s`
    case 'slow-disk':
      return `the disk of ${target} ${diskLateMs} ms late for ${lasts} s`
    case 'clock':
      return `the clock of ${whom(trial)} ${clockAheadMs / 3_600_000} h ahead, then as much behind, for ${lasts} s each`
    case 'scale':
      return `${target} scaled 2, 1, 2, 1, ${scalesToThree(target) ? '3, 2' : '2'}`
    case 'rolling':
      return 'every replica restarted, one after the other'
  }
}

const scalesToThree = (target: Target) => target.startsWith('webhook-') && target !== 'webhook-api'

function whom({ target, victims }: Trial): string {
  return serviceNames.some((name) => name === target) ? `${target} (${victims})` : target
}

function way({ from, link, linkDelayMs }: Trial): string {
  const lost = from === null ? 'everybody' : from
  switch (link) {
    case 'drop':
      return `and ${lost}: everything dropped`
    case 'reset':
      return `and ${lost}: connections reset`
    case 'delay':
      return `and ${lost}: ${linkDelayMs} ms of delay`
  }
}

export function describeOutcome(outcome: Outcome): string {
  const { recoveryMs, faultMs, acknowledged, unanswered, accounts, repetitions, faults } = outcome
  const { stoodStillMs, events } = outcome
  const recovery = recoveryMs === null ? 'NO RECOVERY' : `recovered in ${seconds(recoveryMs)}`
  const expected = accounts.reduce((sum, { matched }) => sum + matched, 0)
  const arrived = repetitions.reduce((sum, { deliveries }) => sum + deliveries, 0)
  const lines = [
    `lasted ${seconds(faultMs)}, ${recovery}; ${acknowledged} changes acknowledged, ` +
      `${unanswered} tries refused`,
    `${expected} deliveries expected, ${arrived} arrived; repeated: ${repetitions.map(repeated).join(', ')}`,
    ...(events === null
      ? []
      : [
          `${events.deadLetters} dead letters and ${events.openings} opened circuits have their events`,
        ]),
    ...(stoodStillMs > 1_000 ? [`the suite itself stood still for ${seconds(stoodStillMs)}`] : []),
    ...faults.map((fault) => `FAILED: ${fault}`),
  ]
  return lines.map((line) => `     ${line}`).join('\n')
}

function repeated({
  subscriber,
  repeated: count,
  deliveries,
  inFlight,
  earliestMs,
}: Outcome['repetitions'][number]): string {
  if (count === 0) return `${subscriber} 0`
  const ratio = ((100 * count) / Math.max(1, deliveries)).toFixed(2)
  return `${subscriber} ${count} (${ratio} %, ${inFlight} in flight, the first taken ${earliestMs} ms before)`
}

export function describeTotal(outcomes: readonly Outcome[]): string {
  const bad = outcomes.filter(({ faults }) => faults.length > 0)
  const sums = outcomes.flatMap(({ repetitions }) => repetitions)
  const deliveries = sums.reduce((sum, one) => sum + one.deliveries, 0)
  const again = sums.reduce((sum, one) => sum + one.repeated, 0)
  const ratio = ((100 * again) / Math.max(1, deliveries)).toFixed(3)
  const slowest = Math.max(0, ...outcomes.map(({ recoveryMs }) => recoveryMs ?? Infinity))
  return [
    `${outcomes.length} faults, ${bad.length} failed; ${deliveries} deliveries, ${again} ` +
      `repeated (${ratio} %)`,
    `slowest recovery ${Number.isFinite(slowest) ? seconds(slowest) : 'never'}`,
  ].join('; ')
}
