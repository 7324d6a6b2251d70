import type { ChangeOperation } from '@surehook/contracts/events'
import type { ChatKind } from '@surehook/contracts/http/admin/chat-urls'
import { defaultNotifySettings } from '@surehook/contracts/http/admin/notify-settings'
import { type TrustedIssuer, trustedIssuer } from '@surehook/contracts/http/admin/trusted-issuers'
import { httpsUrlFault } from '@surehook/contracts/http/https-url'
import {
  type HeaderFault,
  headerFaults,
} from '@surehook/contracts/http/webhooks/policy/own-headers'
import { extendedDelays } from '@surehook/contracts/http/webhooks/policy/policy'
import { failed, type ParsedFile } from './parse-file.ts'
import type { EnvironmentFile, FileSubscription, FileTable } from './schema.ts'
import { fillVariables } from './variables.ts'

/** The policy with every key. `null`: the default. */
export type PolicyWish = {
  headers: Readonly<Record<string, string>>
  retryAfter: boolean
  gone: 'deactivate' | null
  retryDelays: readonly string[] | null
  concurrency: number | null
  rateLimit: { perSecond: number } | null
  ordered: 'record' | null
}

/** A subscription as the file wants it. `undefined`: it stays as it is. */
export type SubscriptionWish = {
  key: string | null
  name: string | null
  description: string | null
  table: string
  events: ChangeOperation[]
  url: string
  secret: string | undefined
  active: boolean | undefined
  filter: Record<string, unknown> | null
  select: string[] | null
  policy: PolicyWish
}

/** The recipients of alerts, with every setting. */
export type NotifyWish = {
  emails: readonly string[]
  /** Without a kind, the host of the URL decides. */
  chats: readonly { url: string; kind: ChatKind | undefined }[]
  digestInterval: number
}

/** What the file wants, with its secrets. An absent section is not managed. */
export type Wishes = {
  roles?: NonNullable<EnvironmentFile['roles']> | undefined
  tables?: Readonly<Record<string, FileTable>> | undefined
  subscriptions?: readonly SubscriptionWish[] | undefined
  notify?: NotifyWish | undefined
  trustedIssuers?: readonly TrustedIssuer[] | undefined
}

/**
 * Fills in the variables. Throws a `Failure` that names every missing variable, and every URL and
 * header that is not valid when filled in. No message holds a value.
 */
export function wishesOf({ content, fault }: ParsedFile, env: NodeJS.ProcessEnv): Wishes {
  const { roles, tables, subscriptions, notify, trustedIssuers } = content
  const { emails, digestInterval } = defaultNotifySettings
  const faults: string[] = []
  const filledIn = <Wish>(
    at: readonly PropertyKey[],
    make: (fill: Fill) => Wish,
    unsendable: (wish: Wish) => HeaderFault[],
  ): Wish => {
    const incomplete = new Set<string>()
    const wish = make((path, text) => {
      const filled = fillVariables(text, env)
      for (const name of filled.missing) {
        incomplete.add(path.join('.'))
        faults.push(fault([...at, ...path], `the variable ${name} is not set`))
      }
      return filled.text
    })
    for (const { path, message } of unsendable(wish)) {
      if (!incomplete.has(path.join('.'))) faults.push(fault([...at, ...path], message))
    }
    return wish
  }
  const wishes = {
    ...{ roles, tables, trustedIssuers: trustedIssuers?.map(trustedIssuer) },
    subscriptions: subscriptions?.map((given, index) =>
      filledIn(['subscriptions', index], (fill) => subscriptionWish(given, fill), faultsOf),
    ),
    notify: notify && {
      emails: notify.emails ?? emails,
      digestInterval: notify.digestInterval ?? digestInterval,
      chats: (notify.chats ?? []).map(({ url, kind }, index) =>
        filledIn(
          ['notify', 'chats', index],
          (fill) => ({ url: fill(['url'], url), kind }),
          urlFaults,
        ),
      ),
    },
  }
  if (faults.length > 0) throw failed(faults)
  return wishes
}

/** The reasons why the URL or the headers cannot be used. No message holds a value. */
function faultsOf({ url, policy }: SubscriptionWish): HeaderFault[] {
  return [
    ...urlFaults({ url }),
    ...headerFaults(policy.headers).map(({ path, message }) => ({
      path: ['policy', 'headers', ...path],
      message,
    })),
  ]
}

function urlFaults({ url }: { url: string }): HeaderFault[] {
  const message = httpsUrlFault(url)
  return message === null ? [] : [{ path: ['url'], message }]
}

type Fill = (path: readonly string[], text: string) => string

function subscriptionWish(given: FileSubscription, fill: Fill): SubscriptionWish {
  const { key, name, table, events, url, secret, active, filter, select, policy } = given
  return {
    key: key ?? null,
    name: name ?? null,
    description: given.description ?? null,
    table,
    events,
    url: fill(['url'], url),
    secret: secret === undefined ? undefined : fill(['secret'], secret),
    active,
    filter: filter ?? null,
    select: select ?? null,
    policy: policyWish(policy, fill),
  }
}

const defaults: PolicyWish = {
  headers: {},
  retryAfter: false,
  gone: null,
  retryDelays: null,
  concurrency: null,
  rateLimit: null,
  ordered: null,
}

function policyWish(policy: FileSubscription['policy'], fill: Fill): PolicyWish {
  const { headers: given, retryDelays, ...rest } = policy ?? {}
  const set = Object.entries(rest).filter(([, value]) => value !== null && value !== undefined)
  const headers = Object.entries(given ?? {}).map(([name, value]): [string, string] => [
    name,
    fill(['policy', 'headers', name], value),
  ])
  return {
    ...defaults,
    ...(Object.fromEntries(set) as Partial<PolicyWish>),
    headers: Object.fromEntries(headers),
    retryDelays: retryDelays === 'extended' ? extendedDelays : (retryDelays ?? null),
  }
}
