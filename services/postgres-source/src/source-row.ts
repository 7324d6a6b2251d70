import type { Source, SourceFinding, SourceGap } from '@surehook/contracts/http/sources'

export type Tenant = { projectId: string; environment: string }

/** What the replica that reads a source last saw of it. */
export type SourceStatus = Pick<
  Source,
  'state' | 'reason' | 'retainedBytes' | 'budgetEndsInS' | 'lastChangeAt'
> & { findings: readonly SourceFinding[] }

export const pendingStatus: SourceStatus = {
  state: 'pending',
  reason: null,
  findings: [],
  retainedBytes: null,
  budgetEndsInS: null,
  lastChangeAt: null,
}

export type SourceRow = {
  id: string
  project_id: string
  environment: string
  name: string
  /** Encrypted, as `ca` is not. */
  url: string
  ca: string | null
  publication: string
  /** A bigint comes as text. */
  wal_budget: string
  version: number
  system_id: string | null
  timeline: number | null
  acknowledged: string | null
  status: Partial<SourceStatus>
  gap: SourceGap | null
  created_at: Date
  updated_at: Date
}

/** How to connect to the database of a source. */
export type SourceAccess = Pick<SourceRow, 'id' | 'project_id' | 'environment' | 'url' | 'ca'>

/** Identifies what a URL is encrypted for. */
export const urlContext = (id: string): string => `source/${id}`

/** The slot of a source in its database. A source that is made anew has another. */
export const slotNameOf = (id: string): string => `surehook_${id.replaceAll('-', '')}`

export const tenantOf = (row: Pick<SourceRow, 'project_id' | 'environment'>): Tenant => ({
  projectId: row.project_id,
  environment: row.environment,
})
