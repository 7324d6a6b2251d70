import type { Endpoint, Subscription, WebhookNumbers } from '@surehook/client'
import { webhookLabel } from '../../../parts/data/webhook-label.ts'

type CountsById = ReadonlyMap<string, Pick<WebhookNumbers, 'counts'>>

/** The problems of the deliveries to one URL. */
export type Trouble = {
  /** The webhook, or the URL of several. */
  label: string
  /** The webhooks that have a trouble. */
  webhooks: readonly Subscription[]
  /** Set if a circuit is open: of the URL, or of one of its webhooks. */
  open: Endpoint | undefined
  disabled: readonly Subscription[]
  /** The webhooks with dead letters, the one with the most first. */
  dead: readonly Subscription[]
  deadLetters: number
  warned: readonly Subscription[]
}

type Environment = {
  webhooks: readonly Subscription[]
  endpoints: readonly Endpoint[]
  numbers: CountsById
}

/** The URLs that need a person, the worst first. */
export function troublesOf({ webhooks, endpoints, numbers }: Environment): Trouble[] {
  const endpointOf = new Map(endpoints.flatMap((one) => one.webhooks.map((id) => [id, one])))
  const groups = Map.groupBy(webhooks, (one) => endpointOf.get(one.id) ?? one.url)
  // The webhooks of an endpoint may be older than the listed ones.
  for (const endpoint of endpoints) if (!groups.has(endpoint)) groups.set(endpoint, [])
  const deadLettersOf = ({ id }: Subscription) => numbers.get(id)?.counts.deadLetter ?? 0
  return [...groups]
    .map(([key, own]) => troubleOf(typeof key === 'string' ? undefined : key, own, deadLettersOf))
    .filter((trouble) => severity(trouble) > 0)
    .toSorted((a, b) => severity(b) - severity(a) || b.deadLetters - a.deadLetters)
}

function troubleOf(
  endpoint: Endpoint | undefined,
  all: readonly Subscription[],
  deadLettersOf: (webhook: Subscription) => number,
): Trouble {
  const isOpen = endpoint?.circuit === 'open'
  const refused = endpoint?.refusedWebhooks ?? []
  const disabled = all.filter((one) => !one.active && one.disabledReason !== undefined)
  const dead = all
    .filter((one) => deadLettersOf(one) > 0)
    .toSorted((a, b) => deadLettersOf(b) - deadLettersOf(a))
  const warned = all.filter(({ warnings = [] }) => warnings.length > 0)
  const webhooks = all.filter(
    (one) => isOpen || refused.includes(one.id) || [disabled, dead, warned].flat().includes(one),
  )
  const [only, ...others] = webhooks
  return {
    label: only !== undefined && others.length === 0 ? webhookLabel(only) : urlOf(endpoint, only),
    webhooks,
    open: isOpen || refused.length > 0 ? endpoint : undefined,
    ...{ disabled, dead, warned },
    deadLetters: dead.reduce((sum, one) => sum + deadLettersOf(one), 0),
  }
}

const urlOf = (endpoint: Endpoint | undefined, webhook: Subscription | undefined): string =>
  webhookLabel({ url: endpoint?.url ?? webhook?.url ?? '' })

/** Zero without a trouble. */
function severity({ open, disabled, dead, warned }: Trouble): number {
  if (open !== undefined) return 4
  if (disabled.length > 0) return 3
  if (dead.length > 0) return 2
  return warned.length > 0 ? 1 : 0
}
