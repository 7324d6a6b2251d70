import { writeFile as write } from 'node:fs/promises'
import { exitCodes, Failure } from '../../cli/command.ts'
import { readAll } from '../../environment-file/read-state.ts'
import { writeFile } from '../../environment-file/write-file.ts'
import { adminTokenOptions, adminTokenVariables, findAdminToken } from '../../tenant/admin-token.ts'
import { clientOf, findGateway } from '../../tenant/tenant-client.ts'
import { tenantCommand } from '../../tenant/tenant-command.ts'

export const exportFileCommand = tenantCommand({
  name: 'export',
  summary: 'Write the file of an environment, for apply',
  details: [
    'Writes roles, tables, subscriptions, notify and trustedIssuers. No API returns a secret, so the',
    'file names a variable for each. "apply" needs them set. Sections that the token may not read are left',
    'out. The last two are read with the administration token, of --admin-token-file or',
    'SUREHOOK_ADMIN_TOKEN.',
  ].join('\n'),
  examples: ['export --out surehook.yaml'],
  options: {
    out: { type: 'string', value: 'file', help: 'the file to write. Default: standard output' },
    ...adminTokenOptions,
  },
  variables: adminTokenVariables,
  printsDocument: true,
  async act(call) {
    const { tenant, request, values, env } = call
    const adminToken = findAdminToken(values, env, findGateway(values, env))
    const isOperator = adminToken !== undefined
    const surehook = isOperator ? clientOf(tenant, { adminToken }) : call.surehook
    const state = await readAll(surehook, { isOperator, request })
    const missing = Object.entries(state).flatMap(([section, read]) => (read ? [] : [section]))
    if (missing.length === Object.keys(state).length)
      throw new Failure('the token may read no section of the file')
    const { text, variables } = writeFile(state)
    const { out: file } = values
    if (file !== undefined) await write(file, text)
    if (call.json)
      call.out(JSON.stringify({ file: file ?? null, text, variables, missing }, null, 2))
    else if (file === undefined) call.out(text.trimEnd())
    for (const section of missing)
      call.note(`left out, because the token may not read it: ${section}`)
    if (variables.length > 0) call.note(`variables of the file: ${variables.join(', ')}`)
    return exitCodes.ok
  },
})
