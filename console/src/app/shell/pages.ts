import type { ComponentType } from 'react'
import type { IconName } from '../../parts/layout/icon.tsx'
import type { Session } from '../../session/session.ts'

export type PageEntry = {
  /** Below `/console/`, with `:name` for parts that vary. The empty path is the first page. */
  path: string
  /** Who sees the page. */
  for: Session['kind']
  /** Its link in the navigation, in the order of this list. */
  link?: { label: string; icon: IconName }
  load: () => Promise<{ Page: ComponentType }>
}

/** Every page. Each one is loaded when it is opened first. */
export const pages: readonly PageEntry[] = [
  {
    path: '',
    for: 'developer',
    link: { label: 'Overview', icon: 'overview' },
    load: () => import('../../pages/overview/overview-page.tsx'),
  },
  {
    path: 'webhooks',
    for: 'developer',
    link: { label: 'Webhooks', icon: 'webhook' },
    load: () => import('../../pages/webhooks/webhooks-page.tsx'),
  },
  {
    path: 'webhooks/new',
    for: 'developer',
    load: () => import('../../pages/webhook-form/new-webhook-page.tsx'),
  },
  {
    path: 'webhooks/:id',
    for: 'developer',
    load: () => import('../../pages/webhook/webhook-page.tsx'),
  },
  {
    path: 'webhooks/:id/edit',
    for: 'developer',
    load: () => import('../../pages/webhook-form/edit-webhook-page.tsx'),
  },
  {
    path: 'webhooks/:id/replay',
    for: 'developer',
    load: () => import('../../pages/replay/replay-page.tsx'),
  },
  {
    path: 'deliveries',
    for: 'developer',
    link: { label: 'Deliveries', icon: 'delivery' },
    load: () => import('../../pages/deliveries/deliveries-page.tsx'),
  },
  {
    path: 'deliveries/:webhookId/:deliveryId',
    for: 'developer',
    load: () => import('../../pages/delivery/delivery-page.tsx'),
  },
  {
    path: 'events',
    for: 'developer',
    link: { label: 'Events', icon: 'event' },
    load: () => import('../../pages/event/find-event-page.tsx'),
  },
  {
    path: 'events/:eventId',
    for: 'developer',
    load: () => import('../../pages/event/event-page.tsx'),
  },
  {
    path: 'tables',
    for: 'developer',
    link: { label: 'Tables', icon: 'table' },
    load: () => import('../../pages/tables/tables-page.tsx'),
  },
  {
    path: 'new-table',
    for: 'developer',
    load: () => import('../../pages/table-form/new-table-page.tsx'),
  },
  {
    path: 'tables/:table',
    for: 'developer',
    load: () => import('../../pages/records/records-page.tsx'),
  },
  {
    path: 'tables/:table/define',
    for: 'developer',
    load: () => import('../../pages/table-form/edit-table-page.tsx'),
  },
  {
    path: 'tables/:table/new-record',
    for: 'developer',
    load: () => import('../../pages/record/new-record-page.tsx'),
  },
  {
    path: 'tables/:table/records/:recordId',
    for: 'developer',
    load: () => import('../../pages/record/record-page.tsx'),
  },
  {
    path: 'stream',
    for: 'developer',
    link: { label: 'Stream', icon: 'stream' },
    load: () => import('../../pages/stream/stream-page.tsx'),
  },
  {
    path: 'endpoints',
    for: 'developer',
    link: { label: 'Endpoints', icon: 'endpoint' },
    load: () => import('../../pages/endpoints/endpoints-page.tsx'),
  },
  {
    path: 'users',
    for: 'developer',
    link: { label: 'Users', icon: 'users' },
    load: () => import('../../pages/users/users-page.tsx'),
  },
  {
    path: 'users/:id',
    for: 'developer',
    load: () => import('../../pages/user/user-page.tsx'),
  },
  {
    path: 'api',
    for: 'developer',
    link: { label: 'API', icon: 'api' },
    load: () => import('../../pages/api/api-page.tsx'),
  },
  {
    path: 'api/graphql',
    for: 'developer',
    load: () => import('../../pages/graphql/graphql-page.tsx'),
  },
  {
    path: 'operator',
    for: 'operator',
    link: { label: 'Projects', icon: 'project' },
    load: () => import('../../pages/projects/projects-page.tsx'),
  },
  {
    path: 'operator/health',
    for: 'operator',
    link: { label: 'Health', icon: 'health' },
    load: () => import('../../pages/health/health-page.tsx'),
  },
  {
    path: 'operator/ledger',
    for: 'operator',
    link: { label: 'Ledger', icon: 'ledger' },
    load: () => import('../../pages/ledger/ledger-page.tsx'),
  },
  {
    path: 'operator/jobs',
    for: 'operator',
    link: { label: 'Running jobs', icon: 'job' },
    load: () => import('../../pages/jobs/jobs-page.tsx'),
  },
  {
    path: 'operator/projects/:project/environments/:environment',
    for: 'operator',
    load: () => import('../../pages/environment/environment-page.tsx'),
  },
  {
    path: 'operator/projects/:project/tokens',
    for: 'operator',
    load: () => import('../../pages/tokens/tokens-page.tsx'),
  },
]

/** Where a session begins, and where it goes from a page of the other kind. */
export const homeOf = (kind: Session['kind']): string => (kind === 'operator' ? '/operator' : '/')
