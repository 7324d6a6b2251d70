import type { IncomingMessage } from 'node:http'
import { EnvironmentName, ProjectId } from '@surehook/contracts/http/admin/admin'
import { type AuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import type { Violation } from '@surehook/contracts/problem'
import { AppError, invalid } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { fullSettings, type SettingsOverrides } from './auth-settings.ts'

/** The (project, environment) that a request is for, with the settings in force. */
export type Tenant = {
  readonly projectId: string
  readonly environment: string
  readonly settings: AuthSettings
  /** Keys that were read under a lower one count no more. */
  readonly keyEpoch: number
}

export type ResolveTenant = (headers: TenantHeaders) => Promise<Tenant>
export type FindTenant = (name: Pick<Tenant, 'projectId' | 'environment'>) => Promise<Tenant>

type TenantHeaders = Pick<IncomingMessage, 'headersDistinct'>

/** The tenant that the headers name. */
export function createResolveTenant(pool: Pool): ResolveTenant {
  const findTenant = createFindTenant(pool)
  return async (req) => findTenant(namedTenant(req))
}

/**
 * Reads the settings anew for each request: a change of them counts at once on every replica.
 * Comes before every other check, so that nothing else can be learnt about what is not there.
 */
export function createFindTenant(pool: Pool): FindTenant {
  return async (name) => {
    const found = await findEnvironment(pool, name)
    const settings = found === null ? null : fullSettings(found.overrides)
    if (found === null || settings?.enabled !== true) {
      throw new AppError(
        'AUTH_NOT_CONFIGURED',
        'Authentication is not enabled for this project and environment',
      )
    }
    const { projectId, environment } = name
    return { projectId, environment, settings, keyEpoch: found.keyEpoch }
  }
}

/** The tenant that the headers name, whether it exists or not. */
export function namedTenant(req: TenantHeaders): Pick<Tenant, 'projectId' | 'environment'> {
  const violations: Violation[] = []
  const projectId = once(req, 'X-Project-Id', violations)
  const environment = once(req, 'environment', violations) ?? 'master'
  if (!projectId) violations.push({ field: 'X-Project-Id', message: 'is required' })
  if (!projectId || violations.length > 0) throw invalid(violations)
  return { projectId, environment }
}

function once(
  { headersDistinct }: TenantHeaders,
  name: string,
  violations: Violation[],
): string | undefined {
  const values = headersDistinct[name.toLowerCase()] ?? []
  // A proxy may have joined what was sent twice; no name has a comma.
  if (values.length > 1 || values[0]?.includes(','))
    violations.push({ field: name, message: 'must be sent once' })
  return values[0]
}

type Found = { overrides: SettingsOverrides; keyEpoch: number }

/** `null` when there is no such environment, which is so for every name that none can have. */
async function findEnvironment(
  pool: Pool,
  { projectId, environment }: Pick<Tenant, 'projectId' | 'environment'>,
): Promise<Found | null> {
  if (!ProjectId.safeParse(projectId).success) return null
  if (!EnvironmentName.safeParse(environment).success) return null
  const { rows } = await pool.query<Found>({
    name: 'tenant-settings',
    text: `select auth_overrides as overrides, key_epoch as "keyEpoch" from environment
            where project_id = $1 and name = $2 and deleted_at is null`,
    values: [projectId, environment],
  })
  return rows[0] ?? null
}
