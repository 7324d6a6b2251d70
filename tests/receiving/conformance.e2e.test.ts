import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { expectStatus } from '@surehook/scripts/client/call'
import { defaultSecret, type Tenant } from '@surehook/scripts/client/tenant'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { hasToolchain } from '@surehook/scripts/lib/toolchains'
import { pythonWith } from '@surehook/scripts/python/python-tools'
import type { Receipt } from '@surehook/scripts/receiver/receiver'
import { verifyStandardWebhook } from '@surehook/scripts/receiver/verify-signature'
import {
  openSharedListeningWorld,
  type SharedListeningWorld,
} from '../support/shared/shared-world.ts'

type SignedRequest = Pick<Receipt, 'headers' | 'body'>
type Verification = { secret: string; clockAheadS?: number }
/**
 * Resolves to whether the official library of a language accepts the signature, with its clock this
 * much ahead.
 */
type Library = (delivery: SignedRequest, how: Verification) => Promise<boolean>

const npm: Library = async (delivery, { secret, clockAheadS = 0 }) => {
  const now = Date.now() + clockAheadS * 1_000
  const clock = jest.spyOn(Date, 'now').mockReturnValue(now)
  try {
    return verifyStandardWebhook(delivery, secret)
  } finally {
    clock.mockRestore()
  }
}

const pypi: Library = async ({ headers, body }, { secret, clockAheadS = 0 }) => {
  const python = await pythonWith(`${repoRoot}/scripts/python/conformance.txt`)
  const given = { headers, secret, clockAheadS, body: Buffer.from(body).toString('base64') }
  const { stdout, stderr } = spawnSync(python, [`${import.meta.dirname}/verify.py`], {
    input: `${JSON.stringify(given)}\n`,
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as boolean
}

const libraries: [string, Library][] = [['npm', npm]]
if (hasToolchain('python', process.env)) libraries.push(['PyPI', pypi])

let world: SharedListeningWorld
let tenant: Tenant

beforeAll(async () => {
  world = await openSharedListeningWorld()
  tenant = await world.tenant()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

const encodedSecret = `whsec_${Buffer.from('a key of some length').toString('base64')}`

describe.each(libraries)('the library standardwebhooks of %s', (_name, verify) => {
  it.each([
    ['text', defaultSecret],
    ['text beyond ASCII', 'ключ 🔑'],
    ['base64', encodedSecret],
  ])('verifies a delivery whose secret is %s', async (_what, secret) => {
    const listener = await world.listen(tenant, { secret })
    await tenant.insert({ note: 'ä "\\\n\u2028 😀' })
    const delivery = await listener.firstReceipt()
    expect(await verify(delivery, { secret })).toBe(true)
    expect(await verify(delivery, { secret: 'another' })).toBe(false)
  })

  it('verifies with either secret during a rotation', async () => {
    const listener = await world.listen(tenant, { secret: defaultSecret })
    expectStatus(200, await tenant.webhooks(`PATCH /${listener.id}`, { secret: encodedSecret }))
    await tenant.insert()
    const delivery = await listener.firstReceipt()
    expect(await verify(delivery, { secret: encodedSecret })).toBe(true)
    expect(await verify(delivery, { secret: defaultSecret })).toBe(true)
    expect(await verify(delivery, { secret: 'another' })).toBe(false)
  })

  it('verifies every attempt of a delivery, each with its own time', async () => {
    const failing = (_receipt: Receipt, nth: number) => ({ status: nth < 3 ? 500 : 204 })
    const listener = await world.listen(tenant, {}, failing)
    await tenant.insert()
    await listener.arrived(3)
    const ids = new Set(listener.receipts.map(({ headers }) => headers['webhook-id']))
    expect(ids.size).toBe(1)
    for (const delivery of listener.receipts) {
      expect(await verify(delivery, { secret: defaultSecret })).toBe(true)
    }
  })

  it('verifies a redelivery', async () => {
    const listener = await world.listen(tenant)
    await tenant.insert()
    const first = await listener.firstReceipt()
    const [delivery] = await listener.log(([one]) => one?.status === 'delivered')
    const again = `POST /${listener.id}/deliveries/${delivery?.id}/redeliver`
    expectStatus(202, await tenant.webhooks(again))
    await listener.arrived(2)
    const second = listener.receipts[1] ?? first
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
    expect(second.body).toBe(first.body)
    expect(await verify(second, { secret: defaultSecret })).toBe(true)
  })

  it('refuses deliveries that are stale, from the future, or changed', async () => {
    const listener = await world.listen(tenant)
    await tenant.insert({ status: 'new' })
    const delivery = await listener.firstReceipt()
    const { headers, body } = delivery
    const by = (clockAheadS: number) => ({ secret: defaultSecret, clockAheadS })
    expect(await verify(delivery, by(240))).toBe(true)
    expect(await verify(delivery, by(310))).toBe(false)
    expect(await verify(delivery, by(-310))).toBe(false)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    const changed: SignedRequest[] = [
      { headers, body: body.replace('"new"', '"paid"') },
      { headers, body: `${body} ` },
      { headers: { ...headers, 'webhook-id': 'another' }, body },
      { headers: { ...headers, 'webhook-timestamp': later }, body },
    ]
    for (const one of changed) expect(await verify(one, by(0))).toBe(false)
  })
})
