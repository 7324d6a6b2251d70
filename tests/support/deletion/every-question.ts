import { readFileSync } from 'node:fs'
import type { Answer, Platform, RequestHeaders } from '@surehook/scripts/client/call'
import { send } from '@surehook/scripts/client/call'
import type { Tenant } from '@surehook/scripts/client/tenant'
import type { Remembered } from './first-owner.ts'

type Parameter = { name: string; in: string; required?: boolean }
type Document = {
  servers: { url: string }[]
  paths: Record<string, { get?: { parameters?: Parameter[] } }>
}

const apis = ['admin', 'auth', 'data', 'sources', 'webhooks'] as const

const documentOf = (api: string): Document =>
  JSON.parse(
    readFileSync(new URL(`../../../contracts/openapi/${api}.json`, import.meta.url), 'utf8'),
  ) as Document

export type Question = { path: string; url: string; headers: RequestHeaders }

export type Asking = {
  platform: Platform
  tenant: Tenant
  remembered: Remembered
  /** Ids of the asking owner's own subscriptions. */
  webhookIds: string[]
  userTokens: string[]
}

/** Every `GET` of every API, with all that the first owner remembers in its path and its query. */
export function everyQuestion(asking: Asking): Question[] {
  return apis.flatMap((api) => {
    const { servers, paths } = documentOf(api)
    return Object.entries(paths).flatMap(([path, { get }]) =>
      get === undefined ? [] : questionsOf(asking, `${servers[0]?.url ?? ''}${path}`, get),
    )
  })
}

function questionsOf(
  asking: Asking,
  template: string,
  { parameters = [] }: { parameters?: Parameter[] },
): Question[] {
  const path = template.replace(/^\/(?=\/)/, '')
  const urls = filled(path, (name) => valuesInPath(asking, path, name))
  const queries = queriesOf(asking, path, parameters)
  const callers = credentials(asking, path)
  const takesUser = parameters.some(({ name }) => name === 'x-as-user')
  const asUsers = (takesUser ? asking.remembered.userIds : []).map((id) => ({
    ...callers[0],
    'x-as-user': id,
  }))
  return urls.flatMap((url) =>
    queries.flatMap((query) =>
      [...callers, ...asUsers].map((headers) => ({ path, url: `${url}${query}`, headers })),
    ),
  )
}

/** Replaces each `{name}` by each of its values. */
function filled(path: string, valuesOf: (name: string) => readonly string[]): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (name === undefined) return [path]
  return valuesOf(name).flatMap((value) =>
    filled(path.replace(`{${name}}`, encodeURIComponent(value)), valuesOf),
  )
}

function valuesInPath({ tenant, remembered, webhookIds }: Asking, path: string, name: string) {
  const values: Record<string, readonly string[]> = {
    project: [tenant.projectId],
    environment: [tenant.environment],
    table: ['orders'],
    eventId: remembered.eventIds,
    deliveryId: remembered.deliveryIds,
    replayId: remembered.replayIds,
    sessionId: remembered.sessionIds,
  }
  return values[name] ?? idsIn(path, { remembered, webhookIds })
}

function idsIn(
  path: string,
  { remembered, webhookIds }: Pick<Asking, 'remembered' | 'webhookIds'>,
) {
  if (path.includes('/users/')) return remembered.userIds
  if (path.includes('/_endpoints/')) return remembered.endpointIds
  if (path.includes('/_webhooks/')) return [...remembered.webhookIds.slice(0, 2), ...webhookIds]
  return remembered.recordIds
}

/** One query per optional parameter that something is remembered for. */
function queriesOf({ remembered }: Asking, path: string, parameters: readonly Parameter[]) {
  const needsEvent = parameters.some(({ name, required }) => name === 'eventId' && required)
  const always = [
    ...(path.endsWith('/_stream') ? ['format=ndjson'] : []),
    ...(needsEvent ? [`eventId=${remembered.eventIds[0]}`] : []),
  ]
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const values: Record<string, readonly string[]> = {
    cursor: [...remembered.cursors, remembered.streamCursor],
    eventId: remembered.eventIds,
    webhookId: remembered.webhookIds,
    recordId: remembered.recordIds,
    timestamp: [since],
    from: ['1h', since],
    since: [since],
    window: ['7d'],
    fingerprints: ['true'],
    limit: ['200'],
  }
  const asked = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name }) =>
      (values[name] ?? []).map((value) => `${name}=${encodeURIComponent(value)}`),
    )
  const isOfEvent = (one: string) => needsEvent && one.startsWith('eventId=')
  return ['', ...asked].map((one) => {
    const parts = [...(isOfEvent(one) ? [] : always), ...(one === '' ? [] : [one])]
    return parts.length === 0 ? '' : `?${parts.join('&')}`
  })
}

function credentials({ platform, tenant, userTokens }: Asking, path: string): RequestHeaders[] {
  const names = { 'x-project-id': tenant.projectId, environment: tenant.environment }
  const of = (token: string) => ({ ...names, authorization: `Bearer ${token}` })
  const isOperators = path.startsWith('/auth/admin') || /_webhooks\/_/.test(path)
  if (isOperators) return [of(platform.adminToken)]
  if (path.startsWith('/auth')) return userTokens.map(of)
  return [tenant.token, ...userTokens].map(of)
}

export const ask = (platform: Platform, { url, headers }: Question): Promise<Answer<unknown>> =>
  send(platform.baseUrl, `GET ${url}`, { headers })
