import { setTimeout as sleep } from 'node:timers/promises'
import { type Admin, NotFoundError, type RequestOptions } from '@surehook/client'
import { adminCommand } from '../../admin/admin-command.ts'
import { type OptionSpecs, UsageError } from '../../cli/command.ts'
import { adminClientOf } from '../../lib/platform-client.ts'
import { showDone } from '../../output/shown.ts'

const lookEveryMs = 1_000

const options = {
  confirm: {
    type: 'string',
    value: 'name',
    required: true,
    help: 'the name again',
  },
  wait: { type: 'boolean', help: 'wait until everything is gone' },
} as const satisfies OptionSpecs

const details = [
  'At once, tokens are refused, webhooks end and deliveries are cancelled. Users, tables, records, history and keys',
  'are deleted in the background. Changes and deliveries stay on their topics for their retention time.',
  'You cannot undo a deletion. "admin export" writes everything to files before.',
].join('\n')

export const deleteCommands = [
  adminCommand({
    name: 'admin environments delete',
    summary: 'Delete an environment and everything in it',
    details,
    positionals: ['project', 'environment'],
    options,
    async act({ words: { project, environment }, values, admin, request }) {
      assertConfirmed(`${project}/${environment}`, values.confirm)
      await admin.environments.delete(request)
      if (values.wait) await untilGone(admin, request)
      return showDone(
        `environment ${project}/${environment} is ${values.wait ? 'gone' : 'being deleted'}`,
      )
    },
  }),
  adminCommand({
    name: 'admin projects delete',
    summary: 'Delete a project with all its environments and management tokens',
    details,
    positionals: ['project'],
    options,
    async act({ words: { project }, values, platform, admin, request }) {
      assertConfirmed(project, values.confirm)
      const { environments } = await admin.projects.delete(project, request)
      for (const environment of values.wait ? environments : []) {
        await untilGone(adminClientOf(platform, { project, environment }).admin, request)
      }
      return showDone(`project ${project} is ${values.wait ? 'gone' : 'being deleted'}`)
    },
  }),
]

function assertConfirmed(name: string, confirmed: string): void {
  if (confirmed !== name) throw new UsageError(`--confirm must be "${name}", not "${confirmed}"`)
}

async function untilGone(admin: Admin, request: RequestOptions): Promise<void> {
  while (!(await isGone(admin, request))) await sleep(lookEveryMs, undefined, request)
}

async function isGone({ environments }: Admin, request: RequestOptions): Promise<boolean> {
  try {
    await environments.get(request)
    return false
  } catch (err) {
    if (err instanceof NotFoundError && err.code === 'ENVIRONMENT_NOT_FOUND') return true
    throw err
  }
}
