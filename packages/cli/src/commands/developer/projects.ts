import type { Project } from '@surehook/client'
import { type Call, defineCommand, exitCodes } from '../../cli/command.ts'
import { adminClientOf } from '../../lib/platform-client.ts'
import { explaining } from '../../output/explain-error.ts'
import { print, showRows } from '../../output/shown.ts'
import { cellOf } from '../../output/text-table.ts'
import { timeCell } from '../../output/times.ts'
import { adminTokenOptions, adminTokenVariables, findAdminToken } from '../../tenant/admin-token.ts'
import { limitOption, take } from '../../tenant/take.ts'
import {
  findGateway,
  findTenant,
  tenantDescription,
  tenantOptions,
  tenantVariables,
} from '../../tenant/tenant-client.ts'

const options = { ...limitOption, ...adminTokenOptions, ...tenantOptions }

/** A management token does not tell when its project was made. */
type ShownProject = Pick<Project, 'id' | 'environments'> & Partial<Pick<Project, 'createdAt'>>

export const projectsCommand = defineCommand({
  name: 'projects list',
  summary: 'List the projects that your token is for',
  details: [
    'With the administration token the command lists every project, else that of your profile. The',
    'token comes from --admin-token-file, or from SUREHOOK_ADMIN_TOKEN together with --url or',
    'SUREHOOK_URL.',
  ].join('\n'),
  options,
  ...tenantDescription,
  variables: { ...tenantVariables, ...adminTokenVariables },
  async run(call) {
    const projects = await projectsOf(call)
    const rows = showRows('projects', projects, ({ id, environments, createdAt }) => ({
      project: id,
      environments: cellOf(environments),
      created: timeCell(createdAt, call.now()),
    }))
    print(rows, call)
    return exitCodes.ok
  },
})

async function projectsOf(call: Call<typeof options>): Promise<ShownProject[]> {
  const { values, env, signal } = call
  const gateway = findGateway(values, env)
  const token = findAdminToken(values, env, gateway)
  if (token === undefined) {
    const { project, environment } = findTenant(values, env)
    return [{ id: project, environments: [environment] }]
  }
  const { baseUrl } = gateway
  const { admin } = adminClientOf({ baseUrl, adminToken: token })
  const pages = (page: { limit: number }) => admin.projects.iterate(page, { signal })
  return explaining(baseUrl, () => take(values, pages, call))
}
