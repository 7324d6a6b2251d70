import type { EventPayload } from '@surehook/client'
import { expectThat, type Stage } from './stage.ts'
import { verifyReceipt } from './verify-receipt.ts'

/** Inserts, updates and deletes a record. Each change arrives once, signed. */
export async function showChanges(stage: Stage): Promise<void> {
  const orders = stage.surehook.table('orders')
  stage.answer(() => 204)
  const inserted = await orders.create({ customer: 'Ada', status: 'new', total: '19.90' })
  await showOne(stage, 1, { event: 'INSERT', changed_fields: [], record: inserted })
  const updated = await orders.update(inserted.id, { status: 'paid' })
  await showOne(stage, 2, { event: 'UPDATE', changed_fields: ['status'], record: updated })
  const deleted = await orders.delete(inserted.id)
  await showOne(stage, 3, { event: 'DELETE', changed_fields: [], record: deleted })
  await stage.deliveriesWhen(
    (all) =>
      all.length === 3 && all.every((one) => one.status === 'delivered' && one.attempts === 1),
    10_000,
  )
  stage.say('  delivery log: 3 delivered')
}

type ExpectedEvent = Pick<EventPayload, 'event' | 'changed_fields'> & { record: object }

async function showOne(stage: Stage, nth: number, expected: ExpectedEvent): Promise<void> {
  const receipt = (await stage.arrived(nth, 10_000))[nth - 1]
  expectThat(receipt !== undefined, `delivery ${nth} is missing`)
  const { event, changed_fields, record } = JSON.parse(receipt.body) as EventPayload
  const came = JSON.stringify({ event, changed_fields, record })
  expectThat(came === JSON.stringify(expected), `expected ${JSON.stringify(expected)}, got ${came}`)
  verifyReceipt(receipt, stage.secret)
  stage.say(`  ${event}  changed_fields ${JSON.stringify(changed_fields)}  signatures ok`)
}
