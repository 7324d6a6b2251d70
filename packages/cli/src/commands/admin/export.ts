import { listProjects } from '@surehook/contracts/http/admin/admin'
import { type Ask, adminCommand } from '../../admin/admin-command.ts'
import { exportEnvironment } from '../../admin/export-environment.ts'
import { readPages } from '../../admin/read-pages.ts'
import { Failure } from '../../cli/command.ts'
import { findPlatform, platformOptions } from '../../lib/platform-client.ts'

export const exportCommand = adminCommand({
  name: 'admin export',
  summary: 'Write all that a project has into a directory of files',
  details: [
    'One folder for each environment: settings.json, tables.json, webhooks.json, and a JSON object per line in',
    'roles.ndjson, users.ndjson, records/<table>.ndjson and deliveries/<webhook id>.ndjson. Signing secrets, keys and',
    'password hashes are not in it. Changes that are made meanwhile may be in one file and not in another.',
  ].join('\n'),
  positionals: ['project'],
  options: {
    to: { type: 'string', value: 'directory', required: true, help: 'made where it is missing' },
    environment: { type: 'string', value: 'name', help: 'only this one' },
    ...platformOptions,
  },
  async act({ words: { project }, values, env, note }, ask) {
    const { environment: only } = values
    const names = only === undefined ? await environmentsOf(ask, project) : [only]
    const platform = findPlatform(values, env)
    const written: Record<string, Record<string, number>> = {}
    for (const environment of names) {
      note(`environment ${environment}`)
      written[environment] = await exportEnvironment(
        platform,
        { project, environment },
        `${values.to}/${environment}`,
      )
    }
    const lines = Object.entries(written).flatMap(([environment, counts]) =>
      Object.entries(counts).map(([path, count]) => `${environment}/${path}  ${count}`),
    )
    return { value: { project, environments: written }, lines }
  },
})

async function environmentsOf(ask: Ask, project: string): Promise<string[]> {
  const { items } = await readPages('1000000', async (query) => {
    const { projects, nextCursor } = await ask(listProjects, { query })
    return { items: projects, nextCursor }
  })
  const found = items.find(({ id }) => id === project)
  if (found === undefined) throw new Failure(`There is no project "${project}"`)
  return found.environments
}
