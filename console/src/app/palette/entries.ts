import type { FoundDelivery, Project, Subscription, Table } from '@surehook/client'
import { eventPath } from '../../parts/data/event-path.ts'
import { shortUrl, webhookLabel } from '../../parts/data/webhook-label.ts'
import { deliveryPath } from '../../parts/deliveries/delivery-path.ts'
import type { IconName } from '../../parts/layout/icon.tsx'
import { type Theme, themes } from '../../parts/theme/theme.ts'

/** What an entry of the palette does. */
export type Choice =
  | { kind: 'go'; to: string }
  | { kind: 'environment'; environment: string }
  | { kind: 'theme'; theme: Theme }
  | { kind: 'keys' }

export type Entry = {
  id: string
  label: string
  /** What tells it from others of the same label. It is searched too. */
  detail?: string
  icon: IconName
  choice: Choice
}

export type Group = { name: string; items: Entry[] }

const go = (to: string): Choice => ({ kind: 'go', to })

export const pageEntry = ({ to, name }: { to: string; name: string }): Entry => ({
  id: `page ${to}`,
  label: name,
  icon: 'next',
  choice: go(to),
})

export function webhookEntry(webhook: Subscription): Entry {
  const { id, name, key, url, table } = webhook
  const others = [name === undefined ? undefined : key, shortUrl(url), table]
  const label = webhookLabel(webhook)
  const detail = others.filter((text) => text !== undefined && text !== label).join(' · ')
  return { id: `webhook ${id}`, label, detail, icon: 'webhook', choice: go(`/webhooks/${id}`) }
}

export const tableEntry = ({ name }: Pick<Table, 'name'>): Entry => ({
  id: `table ${name}`,
  label: name,
  icon: 'table',
  choice: go(`/tables/${name}`),
})

/** What a lookup of a pasted id found. */
export type FoundById = {
  id: string
  delivery: FoundDelivery | undefined
  /** A delivery of the event with this id. */
  ofEvent: FoundDelivery | undefined
}

const uuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i

/** Deliveries have UUIDs. An event of a service of one's own may have any id. */
export const isUuid = (text: string): boolean => uuid.test(text)
export const mayBeId = (text: string): boolean => /^(?=.*\d)[\w.:~-]{8,128}$/.test(text)

export function idEntries({ id, delivery, ofEvent }: FoundById): Entry[] {
  const entries: Entry[] = []
  if (delivery !== undefined) {
    entries.push({
      id: `delivery ${id}`,
      label: `Delivery ${id}`,
      detail: changeOf(delivery),
      icon: 'delivery',
      choice: go(deliveryPath(delivery.webhookId, delivery.id)),
    })
  }
  // An event may have no deliveries: its page says why.
  if (ofEvent !== undefined || (delivery === undefined && isUuid(id))) {
    entries.push({
      id: `event ${id}`,
      label: `Event ${id}`,
      detail: ofEvent === undefined ? 'No delivery has this id' : changeOf(ofEvent),
      icon: 'event',
      choice: go(eventPath(id, ofEvent?.createdAt)),
    })
  }
  return entries
}

const changeOf = ({ event, table }: FoundDelivery) => [event, table].filter(Boolean).join(' ')

/** The pages of a project for the operator, the one like the current page first. */
export function projectEntries({ id, environments }: Project, pathname: string): Entry[] {
  const path = `/operator/projects/${id}`
  const ofAll = environments.map(
    (environment): Entry => ({
      id: `environment ${id}/${environment}`,
      label: `${id} / ${environment}`,
      icon: 'project',
      choice: go(`${path}/environments/${environment}`),
    }),
  )
  const tokens: Entry = {
    id: `tokens ${id}`,
    label: id,
    detail: 'Management tokens',
    icon: 'key',
    choice: go(`${path}/tokens`),
  }
  return pathname.endsWith('/tokens') ? [tokens, ...ofAll] : [...ofAll, tokens]
}

export const environmentEntry = (environment: string): Entry => ({
  id: `switch ${environment}`,
  label: environment,
  detail: 'Switch the environment',
  icon: 'project',
  choice: { kind: 'environment', environment },
})

export const settingEntries: readonly Entry[] = [
  ...themes.map(
    (theme): Entry => ({
      id: `theme ${theme}`,
      label: `Theme: ${theme}`,
      icon: 'theme',
      choice: { kind: 'theme', theme },
    }),
  ),
  { id: 'keys', label: 'Show the keys', icon: 'key', choice: { kind: 'keys' } },
]

const textOf = ({ label, detail = '' }: Entry) => `${label} ${detail}`.toLowerCase()

/**
 * The entries that have all words of the query. Those whose label begins with it are first, then
 * those with a word that does.
 */
export function matching(entries: readonly Entry[], query: string): Entry[] {
  const wanted = query.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const rank = ({ label }: Entry) => {
    const text = label.toLowerCase()
    if (text.startsWith(wanted)) return 0
    return text.split(/[\s/_-]+/).some((word) => word.startsWith(wanted)) ? 1 : 2
  }
  return entries
    .filter((entry) => words.every((word) => textOf(entry).includes(word)))
    .toSorted((a, b) => rank(a) - rank(b))
}
