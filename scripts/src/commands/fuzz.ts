import { randomInt } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { type ApiName, apiNames } from '@surehook/contracts/openapi/openapi'
import { fuzzApi } from '../fuzz/fuzz-api.ts'
import { prepareFuzzTarget } from '../fuzz/fuzz-target.ts'
import { localDir } from '../lib/paths.ts'
import { runCommand } from '../lib/run-command.ts'
import { requireToolchain } from '../lib/toolchains.ts'
import { startLocalStack } from '../local-stack/local-stack.ts'
import { say, step } from '../start/progress.ts'
import { newSecrets } from '../system/service-catalog.ts'
import { startServices } from '../system/start-services.ts'

/**
 * `npm run test:fuzz`: sends all kinds of requests, generated from the OpenAPI documents, to a
 * separate system. Options: `-- --seed 42 --max-examples 500 --api data`. The report is in
 * `.local/fuzz`.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    'max-examples': { type: 'string', default: '100' },
    api: { type: 'string', multiple: true, default: apiNames },
  },
})
process.exitCode = (await run()) ? 0 : 1

async function run(): Promise<boolean> {
  requireToolchain('python', process.env)
  const apis = values.api.map(apiOf)
  const built = await runCommand({ args: ['npm', 'run', '-s', 'build'] })
  if (!built.ok) throw new Error(`the build failed:\n${built.output}`)
  await using opening = new AsyncDisposableStack()
  const dir = `${localDir}/fuzz`
  await rm(dir, { recursive: true, force: true })
  const endpoints = await step('stack ready', () => startLocalStack({ dir: `${dir}/stack` }))
  opening.defer(() => endpoints.stop())
  const env = { AUTH_HASH_MAX_WAIT: '20s' }
  const system = await step('system ready', () =>
    startServices({ dir: `${dir}/system`, endpoints, secrets: newSecrets(), env }),
  )
  opening.defer(() => system.stop())

  const seed = Number(values.seed)
  say(`seed ${seed} (again: npm run test:fuzz -- --seed ${seed})`)
  let failed = 0
  for (const api of apis) {
    const target = await prepareFuzzTarget(system)
    const maxExamples = Number(values['max-examples'])
    const { ok, output } = await step(api, () => fuzzApi({ target, api, seed, maxExamples, dir }))
    if (ok) continue
    failed += 1
    console.log(output)
  }
  say(`${apis.length - failed} passed, ${failed} failed`)
  return failed === 0
}

function apiOf(name: string): ApiName {
  const api = apiNames.find((one) => one === name)
  if (api === undefined) throw new Error(`no API ${name}; there are: ${apiNames.join(', ')}`)
  return api
}
