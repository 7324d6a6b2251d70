import { type RequestOptions, type Surehook, SurehookError } from '@surehook/client'
import { adminClientOf } from '../../lib/platform-client.ts'
import { type RateLimit, rateLimitsOf } from '../../limits/rate-limits.ts'
import { tableOf } from '../../output/shown.ts'
import { cellOf, leavesOf } from '../../output/text-table.ts'
import { adminTokenOptions, adminTokenVariables, findAdminToken } from '../../tenant/admin-token.ts'
import { clientOf, findGateway, type Tenant } from '../../tenant/tenant-client.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'

export const limitsCommand = tenantCommand({
  name: 'limits show',
  summary: 'Show the limits of requests, and what is left of them',
  details: [
    'The command sends one request to the data API and one to the webhook API, and reads the limits',
    'from the answers. With the administration token it shows the settings of the environment too. The',
    'token comes from --admin-token-file, or from SUREHOOK_ADMIN_TOKEN together with --url or',
    'SUREHOOK_URL.',
  ].join('\n'),
  options: adminTokenOptions,
  variables: adminTokenVariables,
  async act({ tenant, request, values, env }) {
    const adminToken = findAdminToken(values, env, findGateway(values, env))
    const limits = {
      data: await limitsAt(tenant, (surehook) => surehook.tables.list(request)),
      webhooks: await limitsAt(tenant, (surehook) => surehook.webhooks.list({ limit: 1 }, request)),
    }
    const settings = await settingsOf(tenant, adminToken, request)
    const value = { ...limits, ...(settings !== undefined && { settings }) }
    const rows = Object.entries(limits).flatMap(([api, found]) => rowsOf(api, found))
    const chosen = leavesOf(settings ?? {}).map(([name, setting]) => `${name}: ${cellOf(setting)}`)
    return { value, lines: [tableOf(rows), ...(chosen.length === 0 ? [] : ['', ...chosen])] }
  },
})

/** Resolves with the limits in the answer; null: the token has no right for this API. */
async function limitsAt(
  tenant: Tenant,
  ask: (surehook: Surehook) => Promise<unknown>,
): Promise<RateLimit[] | null> {
  let headers = new Headers()
  const surehook = clientOf(tenant, {
    fetch: async (...args) => {
      const response = await fetch(...args)
      headers = response.headers
      return response
    },
  })
  try {
    await ask(surehook)
  } catch (err) {
    if (!(err instanceof SurehookError && err.code === 'FORBIDDEN')) throw err
  }
  return rateLimitsOf(headers)
}

async function settingsOf(tenant: Tenant, token: string | undefined, request: RequestOptions) {
  if (token === undefined) return undefined
  const { admin } = adminClientOf({ baseUrl: tenant.baseUrl, adminToken: token }, tenant)
  return (await admin.environments.get(request)).limits
}

function rowsOf(api: string, limits: RateLimit[] | null) {
  if (limits === null) return [{ api, of: 'your token has no right for it' }]
  return limits.map(({ scope, quota, windowSeconds, left }) => ({
    api,
    of: scope,
    'per second': String(Math.round(quota / windowSeconds)),
    'at once': String(quota),
    left: cellOf(left),
  }))
}
