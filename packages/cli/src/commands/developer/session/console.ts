import { type Call, defineCommand, exitCodes, UsageError } from '../../../cli/command.ts'
import { openBrowser } from '../../../console/open-browser.ts'
import { adminClientOf } from '../../../lib/platform-client.ts'
import { findRunningSystem } from '../../../lib/running-system.ts'
import { explaining } from '../../../output/explain-error.ts'
import { print, showDone } from '../../../output/shown.ts'
import {
  adminTokenOptions,
  adminTokenVariables,
  findAdminToken,
} from '../../../tenant/admin-token.ts'
import {
  clientOf,
  findGateway,
  findTenant,
  type Gateway,
  tenantDescription,
  tenantOptions,
  tenantVariables,
} from '../../../tenant/tenant-client.ts'

const options = {
  operator: {
    type: 'boolean',
    help: 'sign in as the operator, to read for an hour',
  },
  'no-open': { type: 'boolean', help: 'only print the URL' },
  ...adminTokenOptions,
  ...tenantOptions,
} as const

export const consoleCommand = defineCommand({
  name: 'console',
  summary: 'Open the web console, signed in',
  details: [
    'The command prints a URL with a one-time code and opens it in your browser. The code works once,',
    'within 30 seconds. The URL contains no token. On a machine without a browser, open the URL on',
    'another one. The browser gets the URL from a file that only you can read, and that is removed after',
    '30 seconds. If the console says that the code was used and you did not use it, revoke the token.',
    '',
    'With --operator the session only reads, and ends after an hour. For anything else, sign in on the',
    'page with the administration token. The command takes this token from',
    '--admin-token-file, from SUREHOOK_ADMIN_TOKEN together with --url or SUREHOOK_URL, or from the',
    'system that `npm start` runs.',
  ].join('\n'),
  examples: ['console', 'console --profile staging', 'console --operator --no-open'],
  options,
  ...tenantDescription,
  variables: { ...tenantVariables, ...adminTokenVariables },
  async run(call) {
    const { values, env, note } = call
    const { surehook, baseUrl, place, who } = signerOf(call)
    const { code, expiresAt } = await explaining(baseUrl, () =>
      surehook.admin.consoleCodes.create(place, { signal: call.signal }),
    )
    const url = `${baseUrl}/console/#code=${code}`
    const isOpen = !values['no-open'] && (await openBrowser(url, env))
    if (!values['no-open'] && !isOpen)
      note('no browser could be opened here: open the URL yourself')
    note(`the URL signs in ${who}, once, until ${expiresAt}`)
    print(showDone(url, { url, expiresAt, opened: isOpen }), call)
    return exitCodes.ok
  },
})

type ConsoleCall = Pick<Call<typeof options>, 'values' | 'env'>

function signerOf({ values, env }: ConsoleCall) {
  if (!values.operator) {
    const tenant = findTenant(values, env)
    const { baseUrl, project, environment } = tenant
    const who = `a developer of ${project}/${environment}`
    return { surehook: clientOf(tenant), baseUrl, place: { project, environment }, who }
  }
  const gateway = findGateway(values, env)
  const adminToken = operatorToken(values, env, gateway)
  const { baseUrl } = gateway
  const surehook = adminClientOf({ baseUrl, adminToken })
  return { surehook, baseUrl, place: {}, who: 'the operator' }
}

/** The token of `npm start` is sent only to the system of `npm start`. */
function operatorToken(
  values: ConsoleCall['values'],
  env: NodeJS.ProcessEnv,
  gateway: Gateway,
): string {
  const system = findRunningSystem()
  const own = system?.baseUrl === gateway.baseUrl ? system.adminToken : undefined
  const isGiven = values['admin-token-file'] !== undefined || gateway.from === 'call'
  const token = isGiven ? (findAdminToken(values, env, gateway) ?? own) : own
  if (token !== undefined) return token
  throw new UsageError(
    'the administration token is missing: --admin-token-file, or SUREHOOK_ADMIN_TOKEN with --url or SUREHOOK_URL',
  )
}
