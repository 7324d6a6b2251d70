import type { Receipt } from '../receiver/receiver.ts'
import { expectThat } from './expect-that.ts'
import { seconds } from './show-retries.ts'
import { deliveriesWhen, receiverPath, type Stage } from './stage.ts'

const slackMs = 2_000

/** The receiver never accepts: every attempt follows its delay, and then comes a dead letter. */
export async function showDeadLetter(stage: Stage): Promise<void> {
  const { receiver, tenant, delaysMs, say } = stage
  receiver.answer(receiverPath, () => ({ status: 503 }))
  await tenant.insert({ customer: 'Dora', status: 'new', total: '1.00' })
  let previous: Receipt | undefined
  for (const [index, delayMs] of [0, ...delaysMs].entries()) {
    const latestMs = delayMs * 1.1 + slackMs
    const receipt = (await stage.arrived(index + 1, latestMs + slackMs))[index]
    expectThat(receipt !== undefined, `attempt ${index + 1} is missing`)
    const waitedMs = receipt.at - (previous?.at ?? receipt.at)
    expectThat(
      waitedMs >= delayMs && waitedMs <= latestMs,
      `attempt ${index + 1} came ${seconds(waitedMs)} after the one before, not ${seconds(delayMs)}`,
    )
    expectThat((previous ?? receipt).body === receipt.body, 'an attempt has another body')
    say(`  attempt ${index + 1}  after ${seconds(waitedMs)}`)
    previous = receipt
  }
  const attempts = delaysMs.length + 1
  await deliveriesWhen(stage, {
    what: 'a dead letter in the log',
    within: 5_000,
    areSo: ([newest]) => newest?.status === 'dead_letter' && newest.attempts === attempts,
  })
  say(`  delivery log: dead_letter, attempts ${attempts}`)
}
