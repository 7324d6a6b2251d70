import { webhookName } from '@surehook/contracts/events/delivery-events'
import type { AlertedWebhook } from '@surehook/contracts/events/webhook-alert'
import type { IncidentRow } from './incident-store.ts'

/** A receiver that fails breaks several webhooks within seconds: one alert names them all. */
export const groupWaitMs = 10_000
/** The most webhooks that an alert names. */
export const mostNamed = 50

export type AlertDecision = {
  webhooks: AlertedWebhook[]
  more: number
  /** The subscriptions that people are told to fail. */
  told: string[]
  /** The subscriptions whose incident ends. */
  ended: string[]
}

/**
 * Decides what people are told. A webhook that fails, recovers and fails again is one incident:
 * it ends after `quietMs` without trouble, or once people are told that the webhook was deactivated.
 */
export function decideAlert(
  incidents: readonly IncidentRow[],
  { now, quietMs }: { now: number; quietMs: number },
): AlertDecision {
  const recovered = incidents.filter((incident) => hasRecovered(incident, now - quietMs))
  const running = incidents.filter((incident) => !recovered.includes(incident))
  const untold = running.filter(hasUntold)
  const isGathered = untold.some((incident) => untoldSince(incident) <= now - groupWaitMs)
  const told = isGathered ? untold : []
  const webhooks = [
    ...told.map((incident) => alertedWebhook(incident, false)),
    ...recovered.filter(wasTold).map((incident) => alertedWebhook(incident, true)),
  ]
  return {
    webhooks: webhooks.slice(0, mostNamed),
    more: Math.max(0, webhooks.length - mostNamed),
    told: told.map(({ id }) => id),
    ended: [...recovered, ...told.filter(isDeactivated)].map(({ id }) => id),
  }
}

const isDeactivated = ({ disabled_at }: IncidentRow) => disabled_at !== null

function hasRecovered(incident: IncidentRow, quietSince: number): boolean {
  const { failed_at, succeeded_at } = incident
  if (isDeactivated(incident) || succeeded_at === null) return false
  return succeeded_at > failed_at && failed_at.getTime() <= quietSince
}

const wasTold = ({ circuit_told, dead_letter_told }: IncidentRow) =>
  circuit_told || dead_letter_told

const hasUntold = (incident: IncidentRow) => untoldTimes(incident).length > 0
const untoldSince = (incident: IncidentRow) => Math.min(...untoldTimes(incident))

const untoldTimes = ({ circuit_told, dead_letter_told, ...incident }: IncidentRow) =>
  [
    ...(circuit_told ? [] : [incident.circuit_opened_at]),
    ...(dead_letter_told ? [] : [incident.dead_letter_at]),
    incident.disabled_at,
  ].flatMap((at) => (at === null ? [] : [at.getTime()]))

const alertedWebhook = (incident: IncidentRow, recovered: boolean): AlertedWebhook => ({
  webhookId: incident.id,
  name: webhookName({ name: incident.name, key: incident.key ?? '' }),
  recovered,
  since: incident.began_at.toISOString(),
  circuitOpened: incident.circuit_opened_at !== null,
  deadLetters: incident.dead_letter_at === null ? 0 : incident.dead_letters,
  paused: incident.paused,
  deactivated: incident.disabled_reason,
})
