import { defineCommand, exitCodes, UsageError } from '../../../cli/command.ts'
import { print, showDone, showRows } from '../../../output/shown.ts'
import { readProfiles, writeProfiles } from '../../../tenant/profile-file.ts'

const variables = { XDG_CONFIG_HOME: 'the directory of the file, instead of ~/.config' }

export const profileCommands = [
  defineCommand({
    name: 'logout',
    summary: 'Forget the token of a profile',
    details: 'The token stays valid. An operator revokes it with "surehook admin tokens delete".',
    examples: ['logout', 'logout --profile staging', 'logout --all'],
    options: {
      profile: {
        type: 'string',
        value: 'name',
        help: 'the profile. Default: the current one',
      },
      all: { type: 'boolean', help: 'every profile' },
    },
    audience: 'developers',
    variables,
    async run(call) {
      const { values, env } = call
      const { current, profiles } = readProfiles(env)
      const names = values.all
        ? Object.keys(profiles)
        : [known(profiles, values.profile ?? current)]
      const kept = Object.entries(profiles).filter(([name]) => !names.includes(name))
      writeProfiles(env, {
        current: current !== null && names.includes(current) ? null : current,
        profiles: Object.fromEntries(kept),
      })
      print(showDone(`logged out of ${names.join(', ') || 'nothing'}`, { profiles: names }), call)
      return exitCodes.ok
    },
  }),
  defineCommand({
    name: 'profiles list',
    summary: 'List the profiles, without their tokens',
    options: {},
    audience: 'developers',
    variables,
    async run(call) {
      const { current, profiles } = readProfiles(call.env)
      const items = Object.entries(profiles).map(([name, { url, project, environment }]) => ({
        name,
        url,
        project,
        environment,
        current: name === current,
      }))
      const rows = showRows('profiles', items, (item) => ({
        name: `${item.name}${item.current ? ' *' : ''}`,
        url: item.url,
        project: item.project,
        environment: item.environment,
      }))
      print(rows, call)
      return exitCodes.ok
    },
  }),
  defineCommand({
    name: 'profiles use',
    summary: 'Choose the profile of commands without --profile',
    options: {},
    positionals: ['name'],
    audience: 'developers',
    variables,
    async run(call) {
      const { profiles } = readProfiles(call.env)
      const current = known(profiles, call.words['name'] ?? '')
      writeProfiles(call.env, { current, profiles })
      print(showDone(`commands use "${current}"`, { current }), call)
      return exitCodes.ok
    },
  }),
]

function known(profiles: object, name: string | null): string {
  if (name === null) throw new UsageError('you are not logged in')
  if (Object.hasOwn(profiles, name)) return name
  throw new UsageError(`there is no profile "${name}": surehook profiles list shows what there is`)
}
