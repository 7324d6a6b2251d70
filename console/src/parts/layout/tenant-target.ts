export type Tenant = { projectId: string; environment: string }

/** A page, and for whom to sign in there. */
export const tenantTarget = (to: string, { projectId: project, environment }: Tenant) => ({
  pathname: to,
  search: `?${new URLSearchParams({ project, environment }).toString()}`,
})

/** What the form to sign in begins with. */
export const tenantIn = (params: URLSearchParams): { project: string; environment: string } => ({
  project: params.get('project') ?? '',
  environment: params.get('environment') ?? 'master',
})
