import type { EventPayload } from '@surehook/contracts/events/event-payload'
import { expectStatus, type Fields } from '../client/call.ts'
import type { Receipt } from '../receiver/receiver.ts'
import { verifySignature, verifyStandardWebhook } from '../receiver/verify-signature.ts'
import { expectThat } from './expect-that.ts'
import { deliveriesWhen, receiverPath, type Stage } from './stage.ts'

type Expected = { event: string; changed: string[]; record: Fields }

/** Inserts, updates and deletes a record. Each change arrives once, signed. */
export async function showChanges(stage: Stage): Promise<void> {
  const { tenant } = stage
  stage.receiver.forget(receiverPath)
  const record = await tenant.insert({ customer: 'Ada', status: 'new', total: '19.90' })
  await showOne(stage, 1, { event: 'INSERT', changed: [], record })
  const path = `orders/${record.id}`
  const updated = expectStatus(200, await tenant.rest(`PATCH ${path}`, { status: 'paid' })).body
  await showOne(stage, 2, { event: 'UPDATE', changed: ['status'], record: updated })
  const deleted = expectStatus(200, await tenant.rest(`DELETE ${path}`)).body
  await showOne(stage, 3, { event: 'DELETE', changed: [], record: deleted })
  await deliveriesWhen(stage, {
    what: 'three deliveries in the log, delivered at the first attempt',
    within: 5_000,
    areSo: (all) =>
      all.length === 3 && all.every((one) => one.status === 'delivered' && one.attempts === 1),
  })
  stage.say('  delivery log: 3 delivered')
}

async function showOne(stage: Stage, nth: number, expected: Expected): Promise<void> {
  const receipt = (await stage.arrived(nth))[nth - 1]
  expectThat(receipt !== undefined, `delivery ${nth} is missing`)
  const payload = JSON.parse(receipt.body) as EventPayload
  const { event, changed, record } = expected
  expectThat(payload.event === event, `expected ${event}, got ${payload.event}`)
  expectThat(
    JSON.stringify(payload.record) === JSON.stringify(record),
    `${event}: the record sent is not the record answered`,
  )
  const names = JSON.stringify(payload.changed_fields)
  expectThat(names === JSON.stringify(changed), `${event}: changed_fields are ${names}`)
  verify(receipt, stage.secret)
  stage.say(
    `  ${event}  changed_fields ${names.padEnd(10)}  X-Service-Signature ok  ` +
      'X-Webhook-Signature ok  webhook-signature ok',
  )
}

function verify(receipt: Receipt, secret: string): void {
  expectThat(verifySignature(receipt, secret), 'X-*-Signature does not match the body')
  expectThat(verifyStandardWebhook(receipt, secret), 'webhook-signature does not match the body')
  const forged = { ...receipt, body: receipt.body.replace('"', '" ') }
  expectThat(!verifySignature(forged, secret), 'a changed body passes X-*-Signature')
  expectThat(!verifyStandardWebhook(forged, secret), 'a changed body passes webhook-signature')
}
