import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type ApiName, apiNames } from '@surehook/contracts/openapi/openapi'
import { fuzzApi } from '@surehook/scripts/fuzz/fuzz-api'
import { prepareFuzzTarget } from '@surehook/scripts/fuzz/fuzz-target'
import { localDir } from '@surehook/scripts/lib/paths'
import { hasToolchain } from '@surehook/scripts/lib/toolchains'
import { openSystem, type TestSystem } from '../support/open-system.ts'

let system: TestSystem

beforeAll(async () => {
  system = await openSystem()
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
})

/** A seed that is known to pass. `npm run test:fuzz` tries new ones. */
const seed = 20_261_121
const documents: readonly ApiName[] = hasToolchain('python', process.env) ? apiNames : []

for (const api of documents) {
  it(`answers as the OpenAPI document ${api} says, whatever it is sent`, async () => {
    const target = await prepareFuzzTarget(system)
    const dir = `${localDir}/test-fuzz`
    const { ok, output } = await fuzzApi({ target, api, seed, maxExamples: 3, dir })
    expect(ok ? '' : output).toBe('')
  })
}

it('has a document for each API of the gateway', async () => {
  const answers = await Promise.all(
    apiNames.map((api) => fetch(`${system.baseUrl}/openapi/${api}.json`)),
  )
  expect(answers.map(({ status }) => status)).toEqual(apiNames.map(() => 200))
})
