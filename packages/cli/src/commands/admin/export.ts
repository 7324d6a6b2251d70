import type { Admin, RequestOptions } from '@surehook/client'
import { adminCommand } from '../../admin/admin-command.ts'
import { exportEnvironment } from '../../admin/export-environment.ts'
import { Failure } from '../../cli/command.ts'

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
  },
  async act({ words: { project }, values, platform, admin, request, note }) {
    const { environment: only } = values
    const names = only === undefined ? await environmentsOf(admin, project, request) : [only]
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

async function environmentsOf(
  { projects }: Admin,
  project: string,
  request: RequestOptions,
): Promise<string[]> {
  for await (const { id, environments } of projects.iterate({ limit: 200 }, request)) {
    if (id === project) return environments
  }
  throw new Failure(`There is no project "${project}"`)
}
