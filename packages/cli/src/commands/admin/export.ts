import { listProjects } from '@surehook/contracts/http/admin/admin'
import { type Ask, adminCommand } from '../../admin/admin-command.ts'
import { exportEnvironment } from '../../admin/export-environment.ts'
import { readPages } from '../../admin/read-pages.ts'
import { Failure } from '../../cli/command.ts'
import { findPlatform, platformOptions } from '../../lib/platform-client.ts'

export const exportCommand = adminCommand({
  name: 'admin export',
  summary: 'Write a project to files',
  details: [
    'Each environment gets a folder with settings.json, tables.json and webhooks.json. roles.ndjson, users.ndjson,',
    'records/<table>.ndjson and deliveries/<webhook id>.ndjson hold one JSON object per line. The files hold no signing',
    'secrets, keys or password hashes. A change during the export may be in one file and not in another.',
  ].join('\n'),
  positionals: ['project'],
  options: {
    to: {
      type: 'string',
      value: 'directory',
      required: true,
      help: 'the directory, created if it is missing',
    },
    environment: { type: 'string', value: 'name', help: 'only this environment' },
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
