import type { Subscription } from '@surehook/client'
import { accessActions } from '@surehook/contracts/http/data/access'
import { stringify } from 'yaml'
import { type EnvironmentFile, fileVersion } from './file/schema.ts'
import { escapeVariables } from './file/variables.ts'
import { byCreation, eventsText } from './plan/match-subscriptions.ts'
import type { State, StoredTable } from './plan/steps.ts'

export type WrittenFile = { text: string; variables: readonly string[] }

/** Writes the file of an environment. Sections that were not read are left out. */
export function writeFile({
  roles,
  tables,
  subscriptions,
  notify,
  trustedIssuers = [],
}: State): WrittenFile {
  const variables = new Set<string>()
  const content = {
    version: fileVersion,
    ...(roles && {
      roles: byName(roles, ({ selfAssignable }) => (selfAssignable ? { selfAssignable } : {})),
    }),
    ...(tables && { tables: byName(tables, tableOf) }),
    ...(subscriptions && {
      subscriptions: subscriptions
        .toSorted(byCreation)
        .toSorted((a, b) => compare(orderOf(a), orderOf(b)))
        .map((subscription) => subscriptionOf(subscription, variables)),
    }),
    ...(notify && { notify: notifyOf(notify, variables) }),
    ...(trustedIssuers.length > 0 && { trustedIssuers }),
  } satisfies Record<keyof EnvironmentFile, unknown> | object
  return { text: stringify(content, { lineWidth: 0 }), variables: [...variables] }
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

function byName<T extends { name: string }>(all: readonly T[], entry: (one: T) => object) {
  const sorted = all.toSorted((a, b) => compare(a.name, b.name))
  return Object.fromEntries(sorted.map((one) => [one.name, entry(one)]))
}

function tableOf({ columns, access, source }: StoredTable) {
  if (source) {
    const { name, relation, exclude } = source
    return { source: name, relation, ...(exclude.length > 0 && { exclude }) }
  }
  const granted = accessActions.filter((action) => access[action].length > 0)
  return {
    columns: Object.fromEntries(
      columns.map(({ name, type, required, unique, default: value }) => [
        name,
        {
          type,
          ...(required && { required }),
          ...(unique && { unique }),
          ...(value !== null && value !== undefined && { default: value }),
        },
      ]),
    ),
    ...(granted.length > 0 && {
      access: Object.fromEntries(granted.map((action) => [action, access[action]])),
    }),
  }
}

const orderOf = ({ key, table, url, events }: Subscription): string =>
  JSON.stringify([key ?? '', table, url, eventsText(events)])

function subscriptionOf(subscription: Subscription, variables: Set<string>) {
  const { key, name, description, table, events, url, active } = subscription
  const { filter, select, policy } = subscription
  const placeholder = (what: string) => newVariable(`${key ?? table}_${what}`, variables)
  const secret = placeholder('secret')
  const { headerNames = [], ...rest } = policy ?? {}
  const headers = Object.fromEntries(headerNames.map((header) => [header, placeholder(header)]))
  const written = { ...rest, ...(headerNames.length > 0 && { headers }) }
  return {
    ...(key !== undefined && { key }),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    table,
    events,
    url: escapeVariables(url),
    secret,
    ...(!active && { active }),
    ...(filter && { filter }),
    ...(select && { select }),
    ...(Object.keys(written).length > 0 && { policy: written }),
  }
}

const notifyOf = (
  { emails, chats, digestInterval }: NonNullable<State['notify']>,
  variables: Set<string>,
) => ({
  emails,
  chats: chats.map(({ kind }) => ({ url: newVariable(`${kind}_chat_url`, variables), kind })),
  digestInterval,
})

/** Returns the text that stands for a variable of its own. */
function newVariable(wanted: string, variables: Set<string>): string {
  const variable = unused(variableName(wanted), variables)
  variables.add(variable)
  return `\${${variable}}`
}

/** Names that begin with SUREHOOK_ are of the command itself: no secret may have one. */
const variableName = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d|SUREHOOK_)|^$/, '_')

function unused(name: string, variables: ReadonlySet<string>): string {
  if (!variables.has(name)) return name
  let number = 2
  while (variables.has(`${name}_${number}`)) number += 1
  return `${name}_${number}`
}
