import { type Call, defineCommand, exitCodes, UsageError } from '../../../cli/command.ts'
import { readSecret } from '../../../lib/input/read-secret.ts'
import { checkedUrl, platformOptions } from '../../../lib/platform-client.ts'
import { findRunningSystem } from '../../../lib/running-system.ts'
import { ask } from '../../../login/ask.ts'
import { rightsOf } from '../../../login/check-token.ts'
import { explaining } from '../../../output/explain-error.ts'
import { print, showDone } from '../../../output/shown.ts'
import { readProfiles, writeProfiles } from '../../../tenant/profile-file.ts'
import { clientOf, type Tenant } from '../../../tenant/tenant-client.ts'

const options = {
  profile: {
    type: 'string',
    value: 'name',
    default: 'default',
    help: 'the name under which the login is kept',
  },
  url: platformOptions.url,
  project: { type: 'string', value: 'id', help: 'the project. Default: SUREHOOK_PROJECT' },
  environment: {
    type: 'string',
    value: 'name',
    help: 'the environment. Default: SUREHOOK_ENVIRONMENT, or master',
  },
  'token-file': {
    type: 'string',
    value: 'file',
    help: 'a file with the management token. Default: SUREHOOK_TOKEN, or the standard input',
  },
} as const

export const loginCommand = defineCommand({
  name: 'login',
  summary: 'Keep a management token for the other commands',
  details: [
    'The command checks the token, prints its rights, and writes it into surehook/profiles.json below',
    'XDG_CONFIG_HOME or ~/.config. Only you may read the file. The profile becomes the current one,',
    'which commands use without --profile. On a terminal the command asks for what is missing. The',
    'token is never an argument, because other users of the machine see arguments.',
  ].join('\n'),
  examples: [
    'login --url https://surehook.example.com --project shop',
    'login --profile staging --url https://staging.example.com --project shop --token-file token.txt',
  ],
  audience: 'developers',
  options,
  variables: {
    SUREHOOK_URL: 'the URL of the gateway',
    SUREHOOK_PROJECT: 'the project',
    SUREHOOK_ENVIRONMENT: 'the environment',
    SUREHOOK_TOKEN: 'a management token of the project',
    XDG_CONFIG_HOME: 'the directory of the file, instead of ~/.config',
  },
  async run(call) {
    const name = call.values.profile
    if (!/^[\w.-]{1,64}$/.test(name) || name === '__proto__') {
      throw new UsageError('--profile: 1 to 64 letters, digits, ".", "_" or "-"')
    }
    // A file that cannot be read fails before the questions.
    const { profiles } = readProfiles(call.env)
    const { baseUrl: url, project, environment, token } = await tenantOf(call)
    const tenant = { baseUrl: url, project, environment, token }
    const rights = await explaining(url, () => rightsOf(clientOf(tenant), { signal: call.signal }))
    const profile = { url, project, environment, token }
    const file = writeProfiles(call.env, {
      current: name,
      profiles: { ...profiles, [name]: profile },
    })
    const shown = { profile: name, url, project, environment, rights, file }
    print(
      showDone(
        `logged in to ${project}/${environment} of ${url} as "${name}" (${rights.join(', ')}): ${file}`,
        shown,
      ),
      call,
    )
    return exitCodes.ok
  },
})

type LoginCall = Call<typeof options>

async function tenantOf(call: LoginCall): Promise<Tenant> {
  const { values, env } = call
  const usual = findRunningSystem()?.baseUrl
  const url = values.url ?? (env['SUREHOOK_URL'] || (await answer(call, '--url', 'URL', usual)))
  const project =
    values.project ?? (env['SUREHOOK_PROJECT'] || (await answer(call, '--project', 'Project')))
  const environment =
    values.environment ??
    (env['SUREHOOK_ENVIRONMENT'] || (await answer(call, '--environment', 'Environment', 'master')))
  const baseUrl = checkedUrl(url)
  return { baseUrl, project, environment, token: await tokenOf(call) }
}

/** Asks on a terminal. Elsewhere it takes the default, or fails. */
async function answer(call: LoginCall, option: string, what: string, usual?: string) {
  const { stdin = process.stdin, signal } = call
  const hint = usual === undefined ? '' : ` [${usual}]`
  const said = stdin.isTTY ? await ask(stdin, `${what}${hint}: `, { signal }) : ''
  const chosen = said || usual
  if (chosen === undefined) throw new UsageError(`${option} is missing`)
  return chosen
}

async function tokenOf(call: LoginCall): Promise<string> {
  const { values, env } = call
  const file = values['token-file']
  if (file === undefined && env['SUREHOOK_TOKEN']) return env['SUREHOOK_TOKEN']
  const token = await readSecret({ option: 'token-file', file, what: 'Management token' }, call)
  if (/^\S+$/.test(token)) return token
  throw new UsageError('the token is missing: --token-file, SUREHOOK_TOKEN or the standard input')
}
