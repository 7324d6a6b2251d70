import type { ComponentType } from 'react'
import type { IconName } from '../../parts/layout/icon.tsx'
import type { Session } from '../../session/session.ts'

export type PageEntry = {
  /** Below `/console/`, with `:name` for parts that vary. The empty path is the first page. */
  path: string
  /** Who sees the page. */
  for: Session['kind']
  /** What the palette calls a page that has no link in the navigation. */
  title?: string
  /** What explains it: a file below `docs/`, with a heading where one fits. */
  docs: string
  /** Its link in the navigation, in the order of this list. */
  link?: { label: string; icon: IconName }
  load: () => Promise<{ Page: ComponentType }>
}

/** Every page. Each one is loaded when it is opened first. */
export const pages: readonly PageEntry[] = [
  {
    path: '',
    for: 'developer',
    docs: 'guides/console.md#what-it-shows',
    link: { label: 'Overview', icon: 'overview' },
    load: () => import('../../pages/overview/overview-page.tsx'),
  },
  {
    path: 'webhooks',
    for: 'developer',
    docs: 'guides/tour.md#a-webhook-a-change-a-delivery',
    link: { label: 'Webhooks', icon: 'webhook' },
    load: () => import('../../pages/webhooks/webhooks-page.tsx'),
  },
  {
    path: 'webhooks/new',
    for: 'developer',
    title: 'New webhook',
    docs: 'guides/tour.md#a-webhook-a-change-a-delivery',
    load: () => import('../../pages/webhook-form/new-webhook-page.tsx'),
  },
  {
    path: 'webhooks/:id',
    for: 'developer',
    docs: 'guides/questions.md#how-is-a-webhook-doing',
    load: () => import('../../pages/webhook/webhook-page.tsx'),
  },
  {
    path: 'webhooks/:id/edit',
    for: 'developer',
    docs: 'guides/delivery-policy.md',
    load: () => import('../../pages/webhook-form/edit-webhook-page.tsx'),
  },
  {
    path: 'webhooks/:id/replay',
    for: 'developer',
    docs: 'guides/tour.md#replay',
    load: () => import('../../pages/replay/replay-page.tsx'),
  },
  {
    path: 'deliveries',
    for: 'developer',
    docs: 'guides/questions.md#what-was-delivered',
    link: { label: 'Deliveries', icon: 'delivery' },
    load: () => import('../../pages/deliveries/deliveries-page.tsx'),
  },
  {
    path: 'deliveries/:webhookId/:deliveryId',
    for: 'developer',
    docs: 'guides/receiving.md#what-arrives',
    load: () => import('../../pages/delivery/delivery-page.tsx'),
  },
  {
    path: 'events',
    for: 'developer',
    docs: 'guides/questions.md#what-became-of-a-change',
    link: { label: 'Events', icon: 'event' },
    load: () => import('../../pages/events/events-page.tsx'),
  },
  {
    path: 'events/:eventId',
    for: 'developer',
    docs: 'guides/questions.md#what-became-of-a-change',
    load: () => import('../../pages/event/event-page.tsx'),
  },
  {
    path: 'tables',
    for: 'developer',
    docs: 'guides/data-api.md',
    link: { label: 'Tables', icon: 'table' },
    load: () => import('../../pages/tables/tables-page.tsx'),
  },
  {
    path: 'new-table',
    for: 'developer',
    title: 'New table',
    docs: 'reference/data-rules.md#tables',
    load: () => import('../../pages/table-form/new-table-page.tsx'),
  },
  {
    path: 'tables/:table',
    for: 'developer',
    docs: 'guides/data-api.md#lists',
    load: () => import('../../pages/records/records-page.tsx'),
  },
  {
    path: 'tables/:table/define',
    for: 'developer',
    docs: 'guides/data-api.md#a-table-that-grows',
    load: () => import('../../pages/table-form/edit-table-page.tsx'),
  },
  {
    path: 'tables/:table/new-record',
    for: 'developer',
    docs: 'reference/data-rules.md#records',
    load: () => import('../../pages/record/new-record-page.tsx'),
  },
  {
    path: 'tables/:table/records/:recordId',
    for: 'developer',
    docs: 'reference/data-rules.md#records',
    load: () => import('../../pages/record/record-page.tsx'),
  },
  {
    path: 'sources',
    for: 'developer',
    docs: 'guides/postgresql.md',
    link: { label: 'Sources', icon: 'source' },
    load: () => import('../../pages/sources/sources-page.tsx'),
  },
  {
    path: 'stream',
    for: 'developer',
    docs: 'guides/streaming.md',
    link: { label: 'Stream', icon: 'stream' },
    load: () => import('../../pages/stream/stream-page.tsx'),
  },
  {
    path: 'endpoints',
    for: 'developer',
    docs: 'guides/delivery-policy.md#protect-the-receiver',
    link: { label: 'Endpoints', icon: 'endpoint' },
    load: () => import('../../pages/endpoints/endpoints-page.tsx'),
  },
  {
    path: 'users',
    for: 'developer',
    docs: 'guides/authentication.md',
    link: { label: 'Users', icon: 'users' },
    load: () => import('../../pages/users/users-page.tsx'),
  },
  {
    path: 'users/:id',
    for: 'developer',
    docs: 'guides/authentication.md#let-project-owners-administer-their-users',
    load: () => import('../../pages/user/user-page.tsx'),
  },
  {
    path: 'api',
    for: 'developer',
    docs: 'guides/console.md#api-and-graphql',
    link: { label: 'API', icon: 'api' },
    load: () => import('../../pages/api/api-page.tsx'),
  },
  {
    path: 'api/graphql',
    for: 'developer',
    title: 'GraphQL',
    docs: 'guides/data-api.md#graphql',
    load: () => import('../../pages/graphql/graphql-page.tsx'),
  },
  {
    path: 'operator',
    for: 'operator',
    docs: 'operate/index.md#administer',
    link: { label: 'Projects', icon: 'project' },
    load: () => import('../../pages/projects/projects-page.tsx'),
  },
  {
    path: 'operator/health',
    for: 'operator',
    docs: 'operate/observability.md',
    link: { label: 'Health', icon: 'health' },
    load: () => import('../../pages/health/health-page.tsx'),
  },
  {
    path: 'operator/ledger',
    for: 'operator',
    docs: 'concepts/ledger.md',
    link: { label: 'Ledger', icon: 'ledger' },
    load: () => import('../../pages/ledger/ledger-page.tsx'),
  },
  {
    path: 'operator/jobs',
    for: 'operator',
    docs: 'reference/webhook-rules.md#for-the-administrator',
    link: { label: 'Running jobs', icon: 'job' },
    load: () => import('../../pages/jobs/jobs-page.tsx'),
  },
  {
    path: 'operator/projects/:project/environments/:environment',
    for: 'operator',
    docs: 'operate/index.md#administer',
    load: () => import('../../pages/environment/environment-page.tsx'),
  },
  {
    path: 'operator/projects/:project/tokens',
    for: 'operator',
    docs: 'reference/authentication-rules.md#rights-of-a-management-token',
    load: () => import('../../pages/tokens/tokens-page.tsx'),
  },
]

/** The pages that need no id to open, by name. */
export const pagesToFind = (kind: Session['kind']): { to: string; name: string }[] =>
  pages.flatMap(({ path, for: forKind, title, link }) => {
    const name = link?.label ?? title
    return name === undefined || forKind !== kind ? [] : [{ to: `/${path}`, name }]
  })

/**
 * The page that stays when another environment is chosen: what a page with an id shows does not
 * exist there, so its list stays.
 */
export function pageToKeep(pathname: string, kind: Session['kind']): string {
  const fixed = new Set(pages.filter((page) => page.for === kind).map(({ path }) => path))
  const parts = pathname.split('/').filter((part) => part !== '')
  while (parts.length > 0 && !fixed.has(parts.join('/'))) parts.pop()
  return parts.length === 0 ? homeOf(kind) : `/${parts.join('/')}`
}

/** Where a session begins, and where it goes from a page of the other kind. */
export const homeOf = (kind: Session['kind']): string => (kind === 'operator' ? '/operator' : '/')
