import { getEnvironment, putEnvironment, rotateKeys } from '@surehook/contracts/http/admin/admin'
import { adminCommand, showList, showThing } from '../../admin/admin-command.ts'
import { settingsFrom, settingsOptions } from '../../admin/settings-options.ts'
import { Failure } from '../../cli/command.ts'
import { readJsonFile } from '../../lib/input/json-file.ts'

const positionals = ['project', 'environment']

export const environmentCommands = [
  adminCommand({
    name: 'admin environments get',
    summary: 'Show the settings of an environment',
    positionals,
    options: {},
    async act({ words: { project, environment } }, ask) {
      return showThing(await ask(getEnvironment, { params: { project, environment } }))
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
    async act({ words: { project, environment }, values }, ask) {
      const { file } = values
      const { auth, limits } = file === undefined ? {} : settingsIn(file)
      const body = {
        auth: settingsFrom(values, isObject(auth) ? auth : {}),
        ...(isObject(limits) && { limits }),
      }
      return showThing(await ask(putEnvironment, { params: { project, environment }, body }))
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
    async act({ words: { project, environment }, values }, ask) {
      const query = { immediately: values.immediately ? 'true' : 'false' } as const
      const { keys } = await ask(rotateKeys, { params: { project, environment }, query })
      return showList({ name: 'keys', items: keys, hasMore: false }, (key) => ({
        key: key.kid,
        use: key.use,
        'used from': key.activeFrom,
      }))
    },
  }),
]

/** Reads the settings of an environment, or only those of authentication. */
function settingsIn(file: string): { auth?: unknown; limits?: unknown } {
  const read = readJsonFile(file)
  if (!isObject(read)) throw new Failure(`${file}: must hold a JSON object`)
  return 'auth' in read || 'limits' in read ? read : { auth: read }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
