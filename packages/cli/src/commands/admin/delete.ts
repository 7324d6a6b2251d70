import { setTimeout as sleep } from 'node:timers/promises'
import { getEnvironment } from '@surehook/contracts/http/admin/admin'
import { deleteEnvironment, deleteProject } from '@surehook/contracts/http/admin/deletion'
import { type Ask, adminCommand, showDone } from '../../admin/admin-command.ts'
import { Failure, type OptionSpecs, UsageError } from '../../cli/command.ts'

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
  'At once, tokens are refused, subscriptions end and deliveries are cancelled. Users, tables, records, history and keys',
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
    async act({ words: { project, environment }, values, signal }, ask) {
      assertConfirmed(`${project}/${environment}`, values.confirm)
      await ask(deleteEnvironment, { params: { project, environment } })
      if (values.wait) await untilGone(ask, { project, environment }, signal)
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
    async act({ words: { project }, values, signal }, ask) {
      assertConfirmed(project, values.confirm)
      const { environments } = await ask(deleteProject, { params: { project } })
      for (const environment of values.wait ? environments : []) {
        await untilGone(ask, { project, environment }, signal)
      }
      return showDone(`project ${project} is ${values.wait ? 'gone' : 'being deleted'}`)
    },
  }),
]

function assertConfirmed(name: string, confirmed: string): void {
  if (confirmed !== name) throw new UsageError(`--confirm must be "${name}", not "${confirmed}"`)
}

type Named = { project: string; environment: string }

async function untilGone(ask: Ask, params: Named, signal: AbortSignal): Promise<void> {
  while (!(await isGone(ask, params))) await sleep(lookEveryMs, undefined, { signal })
}

async function isGone(ask: Ask, params: Named): Promise<boolean> {
  try {
    await ask(getEnvironment, { params })
    return false
  } catch (err) {
    if (err instanceof Failure && err.facts['error'] === 'ENVIRONMENT_NOT_FOUND') return true
    throw err
  }
}
