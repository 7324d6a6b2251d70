import type { IncomingMessage } from 'node:http'
import { type AuthSettings } from '@surehook/contracts/http/admin/auth-settings'
import type { RuledViolation } from '@surehook/contracts/problem'
import { EnvironmentName, ProjectId } from '@surehook/contracts/tenant-names'
import { AppError, invalid } from '@surehook/service-kit/errors'
import type { Pool } from 'pg'
import { fullSettings, type SettingsOverrides, setsMailLocale } from './auth-settings.ts'

/** The (project, environment) of a request, with its effective settings. */
export type Tenant = {
  readonly projectId: string
  readonly environment: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly settings: AuthSettings
  /** The environment sets `mail.locale`: browsers do not choose. */
  readonly hasMailLocale: boolean
  /** Rises when all signing keys are revoked. Keys read under a lower epoch are no longer valid. */
  readonly keyEpoch: number
}

export type TenantName = Pick<Tenant, 'projectId' | 'environment'>

/** Tells an environment from an earlier one of its name. */
export type TenantIdentity = TenantName & Pick<Tenant, 'createdAt'>

export type ResolveTenant = (headers: TenantHeaders) => Promise<Tenant>
export type FindTenant = (name: TenantName) => Promise<Tenant>

type TenantHeaders = Pick<IncomingMessage, 'headersDistinct'>

/** The tenant that the headers name. */
export function createResolveTenant(pool: Pool): ResolveTenant {
  const findTenant = createFindTenant(pool)
  return async (req) => findTenant(namedTenant(req))
}

/**
 * Reads the settings for each request, so that a change applies at once on every replica. Runs
 * before every other check, so that requests for unknown tenants learn nothing else.
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
    const hasMailLocale = setsMailLocale(found.overrides)
    const { keyEpoch } = found
    const createdAt = found.createdAt.toISOString()
    return { projectId, environment, createdAt, settings, hasMailLocale, keyEpoch }
  }
}

/** Returns the tenant in the headers, whether or not it exists. */
export function namedTenant(req: TenantHeaders): TenantName {
  const violations: RuledViolation[] = []
  const projectId = once(req, 'X-Project-Id', violations)
  const environment = once(req, 'environment', violations) ?? 'master'
  if (!projectId) {
    violations.push({ field: 'X-Project-Id', message: 'is required', rule: 'required' })
  }
  if (!projectId || violations.length > 0) throw invalid(violations)
  return { projectId, environment }
}

function once(
  { headersDistinct }: TenantHeaders,
  name: string,
  violations: RuledViolation[],
): string | undefined {
  const values = headersDistinct[name.toLowerCase()] ?? []
  // A proxy may have joined what was sent twice; no name has a comma.
  if (values.length > 1 || values[0]?.includes(',')) {
    violations.push({ field: name, message: 'must be sent once', rule: 'repeated' })
  }
  return values[0]
}

type SettingsRow = { overrides: SettingsOverrides; keyEpoch: number; createdAt: Date }

/** Returns `null` if there is no such environment, and for every invalid name. */
async function findEnvironment(
  pool: Pool,
  { projectId, environment }: TenantName,
): Promise<SettingsRow | null> {
  if (!ProjectId.safeParse(projectId).success) return null
  if (!EnvironmentName.safeParse(environment).success) return null
  const { rows } = await pool.query<SettingsRow>({
    name: 'tenant-settings',
    text: `select auth_overrides as overrides, key_epoch as "keyEpoch", created_at as "createdAt"
             from environment
            where project_id = $1 and name = $2 and deleted_at is null`,
    values: [projectId, environment],
  })
  return rows[0] ?? null
}
