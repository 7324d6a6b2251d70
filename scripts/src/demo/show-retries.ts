import type { Receipt } from '../receiver/receiver.ts'
import { expectThat } from './expect-that.ts'
import { deliveriesWhen, receiverPath, type Stage } from './stage.ts'

const failures = 2
/** How late a retry may start after its delay and the jitter of 10 %. */
const slackMs = 3_000

/**
 * The receiver answers 503 twice. The same delivery comes again after each delay, and then
 * succeeds.
 */
export async function showRetries(stage: Stage): Promise<void> {
  const { receiver, tenant, delaysMs } = stage
  receiver.forget(receiverPath)
  receiver.answer(receiverPath, (_receipt, nth) => ({ status: nth <= failures ? 503 : 204 }))
  await tenant.insert({ customer: 'Bea', status: 'new', total: '5.00' })
  let previous: Receipt | undefined
  for (let nth = 1; nth <= failures + 1; nth++) {
    const delayMs = delaysMs[nth - 2] ?? 0
    const receipt = (await stage.arrived(nth, delayMs * 1.1 + slackMs))[nth - 1]
    expectThat(receipt !== undefined, `attempt ${nth} is missing`)
    const waitedMs = receipt.at - (previous?.at ?? receipt.at)
    expectThat(waitedMs >= delayMs, `attempt ${nth} came ${waitedMs} ms after the one before`)
    expectThat((previous ?? receipt).body === receipt.body, `attempt ${nth} has another body`)
    expectThat(
      (previous ?? receipt).headers['webhook-id'] === receipt.headers['webhook-id'],
      `attempt ${nth} has another id`,
    )
    const answer = nth <= failures ? 503 : 204
    stage.say(`  attempt ${nth}  after ${seconds(waitedMs)}  answered ${answer}`)
    previous = receipt
  }
  await deliveriesWhen(stage, {
    what: 'the delivery in the log',
    within: 5_000,
    areSo: ([newest]) => newest?.status === 'delivered' && newest.attempts === failures + 1,
  })
  stage.say(`  delivery log: delivered, attempts ${failures + 1}; same id and bytes each time`)
}

export const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
