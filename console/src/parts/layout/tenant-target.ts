export type Tenant = { projectId: string; environment: string }

/** A page, and for whom to sign in there. */
export function tenantTarget(to: string, { projectId: project, environment }: Tenant) {
  const [pathname = '', query] = to.split('?')
  const params = { ...Object.fromEntries(new URLSearchParams(query)), project, environment }
  return { pathname, search: `?${new URLSearchParams(params).toString()}` }
}

/** What the form to sign in begins with. */
export const tenantIn = (params: URLSearchParams): { project: string; environment: string } => ({
  project: params.get('project') ?? '',
  environment: params.get('environment') ?? 'master',
})
