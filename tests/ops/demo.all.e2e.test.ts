import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { state } from '@surehook/scripts/lib/paths'
import { ensureDemoCa } from '@surehook/scripts/receiver/demo-ca'
import { surehook } from '../support/commands/operator-cli.ts'
import { openSystem, type TestSystem } from '../support/open-system.ts'

const times = { WEBHOOK_RETRY_DELAYS: '500ms,600ms,700ms,800ms', WEBHOOK_CIRCUIT_COOLDOWN: '3s' }

let system: TestSystem
let receiver: string[]

beforeAll(async () => {
  const { caFile, certificateFile, keyFile } = await ensureDemoCa(state.demoCaDir)
  receiver = ['--receiver', 'https://localhost:0', '--certificate', certificateFile]
  receiver.push('--key', keyFile)
  system = await openSystem({ env: { ...times, WEBHOOK_EXTRA_CA_FILE: caFile } })
})
afterAll(async () => {
  await system?.[Symbol.asyncDispose]()
})

/** Shows everything, on a system that the variables describe. */
function demo(variables: NodeJS.ProcessEnv) {
  const platform = { SUREHOOK_URL: system.baseUrl, SUREHOOK_ADMIN_TOKEN: system.adminToken }
  return surehook({ ...platform, ...variables }, 'demo', '--all', ...receiver)
}

it('shows the main features from beginning to end', async () => {
  const { code, out, notes } = await demo(times)
  expect({ code, notes }).toEqual({ code: 0, notes: '' })
  expect(out).toContain('UPDATE  changed_fields ["status"]  signatures ok')
  expect(out).toContain('delivery log: delivered, attempts 3')
  expect(out).toContain('delivery log: 8 delivered, none lost, none twice')
  expect(out).toContain('Everything worked')
})

it('tries the tour of the README, and prints each request and what it did', async () => {
  const platform = { SUREHOOK_URL: system.baseUrl, SUREHOOK_ADMIN_TOKEN: system.adminToken }
  const { code, out, notes } = await surehook(platform, 'try', ...receiver)
  expect({ code, notes }).toEqual({ code: 0, notes: '' })
  const requests = [...out.matchAll(/^(?:GET|POST|PUT) \S+ {2}\d+$/gm)].map(([line]) =>
    line.replaceAll(/try-\w+/g, 'try').replaceAll(/[0-9a-f-]{36}/g, 'id'),
  )
  expect(requests).toEqual([
    'PUT /auth/admin/projects/try/environments/master  200',
    'POST /auth/admin/projects/try/environments/master/roles  201',
    'PUT /auth/admin/projects/try/environments/master  200',
    'POST /auth/admin/projects/try/management-tokens  201',
    'PUT /gw/api/rest/_tables/orders  200',
    'POST /gw/api/rest/_webhooks  201',
    'POST /gw/api/rest/orders  201',
    'GET /gw/api/rest/_webhooks/id  200',
    'GET /gw/api/rest/_events/id  200',
    'POST /gw/api/rest/_webhooks/id/deliveries/id/redeliver  202',
    'GET /gw/api/rest/_webhooks/id/deliveries/id  200',
  ])
  // A line below each request says what it did.
  expect(out.match(/^ {2}(?:made|lets|subscribed|wrote|shows|explains|sends) .*$/gm)).toHaveLength(
    requests.length,
  )
  expect(out).toMatch(/with a valid signature:\n\n\{.*"customer":"Ada"/)
  expect(out).toMatch(/SUREHOOK_TOKEN=mt_\S+\n {2}npx surehook console/)
})

it('fails if a retry comes too early', async () => {
  const late = await demo({ ...times, WEBHOOK_RETRY_DELAYS: '1s,2s' })
  expect(late.code).toBe(1)
  expect(late.notes).toMatch(/attempt 2 came \S+ s after the one before, not 1\.0 s/)
})

it('reports a wrong administration token', async () => {
  const refused = await demo({ SUREHOOK_ADMIN_TOKEN: 'wrong' })
  expect(refused).toMatchObject({
    code: 1,
    notes: expect.stringContaining('ADMIN_TOKEN_INVALID'),
  })
})
