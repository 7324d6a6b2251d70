import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { installPackages } from '@surehook/scripts/published/installed-packages'
import { nodesOf } from '@surehook/scripts/published/node-versions'
import { otherRuntimes } from '@surehook/scripts/published/other-runtimes'
import { compileExample } from '../support/commands/readme-example.ts'
import { openSharedWorld, type SharedWorld } from '../support/shared/shared-world.ts'

let world: SharedWorld

beforeAll(async () => {
  world = await openSharedWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

it('the example of the README runs as printed, from the packed package', async () => {
  await using installed = await installPackages(['client'])
  await compileExample(installed, 'client')
  const nodes = await nodesOf(process.env['PATH'] ?? '')
  const commands = [
    ...[...nodes].map(([version, node]) => [version, [node, 'client.js']] as const),
    // They run TypeScript themselves.
    ...[...otherRuntimes(process.env)].map(
      ([name, command]) => [name, [...command, 'client.ts']] as const,
    ),
  ]
  for (const [runtime, command] of commands) {
    const { projectId, token } = await world.tenant()
    const output = await installed.run(
      'env',
      `SUREHOOK_URL=${world.system.baseUrl}`,
      `SUREHOOK_PROJECT=${projectId}`,
      `SUREHOOK_TOKEN=${token}`,
      `DENO_DIR=${installed.dir}/deno`,
      ...command,
    )
    const expected = /^order [\w-]+: 12\.50\nINSERT of Ada\nUPDATE of Ada\n$/
    expect([runtime, output]).toEqual([runtime, expect.stringMatching(expected)])
  }
})
