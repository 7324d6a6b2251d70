import type { EnvironmentInput } from '@surehook/client'
import { adminCommand } from '../../admin/admin-command.ts'
import { settingsFrom, settingsOptions } from '../../admin/settings-options.ts'
import { Failure } from '../../cli/command.ts'
import { readJsonFile } from '../../lib/input/json-file.ts'
import { isObject } from '../../lib/input/option-values.ts'
import { showFields, tableOf } from '../../output/shown.ts'

const positionals = ['project', 'environment']

export const environmentCommands = [
  adminCommand({
    name: 'admin environments get',
    summary: 'Show the settings of an environment',
    positionals,
    options: {},
    async act({ admin, request }) {
      return showFields(await admin.environments.get(request))
    },
  }),
  adminCommand({
    name: 'admin environments put',
    summary: 'Create an environment, or change its settings',
    details: [
      'A missing setting keeps its value, and null restores the default. Durations are in seconds.',
      'The file holds settings, or the output of "environments get --json". Options win over the file.',
    ].join('\n'),
    positionals,
    options: {
      file: { type: 'string', value: 'file', help: 'settings as JSON' },
      ...settingsOptions,
    },
    async act({ values, admin, request }) {
      const { file } = values
      const { auth, ...others } = file === undefined ? {} : settingsIn(file)
      const body = { auth: settingsFrom(values, isObject(auth) ? auth : {}), ...others }
      // The API checks what the file and the options say.
      return showFields(await admin.environments.put(body as EnvironmentInput, request))
    },
  }),
  adminCommand({
    name: 'admin keys rotate',
    summary: 'Rotate the token keys of an environment',
    positionals,
    options: {
      immediately: {
        type: 'boolean',
        help: 'after a leak: refuse every token made with an old key from now on',
      },
    },
    async act({ values: { immediately }, admin, request }) {
      const { keys } = await admin.environments.rotateKeys({ immediately }, request)
      const rows = keys.map(({ kid, use, activeFrom }) => ({
        key: kid,
        use,
        'used from': activeFrom,
      }))
      return { value: { keys, hasMore: false }, lines: [tableOf(rows)] }
    },
  }),
]

type Settings = { auth?: unknown; limits?: unknown; notify?: unknown; trustedIssuers?: unknown }

/** What `environments get` shows besides the settings. */
const notSettings = new Set(['projectId', 'environment', 'createdAt', 'updatedAt', 'deletedAt'])
const groups = ['auth', 'limits', 'notify', 'trustedIssuers']

/** Reads the settings of an environment, or only those of authentication. */
function settingsIn(file: string): Settings {
  const read = readJsonFile(file)
  if (!isObject(read)) throw new Failure(`${file}: must hold a JSON object`)
  if (!groups.some((group) => group in read)) return { auth: read }
  const settings = Object.entries(read).filter(([name]) => !notSettings.has(name))
  // The API refuses what is no setting, so that nothing is left out silently.
  return Object.fromEntries(settings.map(([name, value]) => [name, changeable(name, value)]))
}

/** `failures` of `notify` is what happened, and no setting. */
function changeable(name: string, value: unknown): unknown {
  if (name !== 'notify' || !isObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([field]) => field !== 'failures'))
}
