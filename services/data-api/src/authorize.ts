import type { PlatformAccess } from '@surehook/service-kit/access/management-access'
import { AppError } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request-context'
import type { Tenant } from './tables/table-definition.ts'

export const defaultEnvironment = 'master'

/** Who calls, and for which tenant; rejects whoever may not. Management tokens may everything. */
export async function authorize(access: PlatformAccess, { req }: RequestContext): Promise<Tenant> {
  const { projectId, environment } = await access.authorizeManagement({
    authorization: req.headers.authorization,
    projectId: req.headers['x-project-id'],
    environment: req.headers['environment'] ?? defaultEnvironment,
  })
  return { projectId, environment }
}

/** After authorisation and validation: only who may know hears that an environment is missing. */
export async function requireEnvironment(
  access: PlatformAccess,
  { projectId, environment }: Tenant,
): Promise<void> {
  if (await access.environmentExists(projectId, environment)) return
  throw new AppError('ENVIRONMENT_NOT_FOUND', 'The project has no such environment')
}
