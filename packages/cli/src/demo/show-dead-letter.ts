import type { Receipt } from './demo-receiver.ts'
import { showAttempt } from './show-retries.ts'
import type { Stage } from './stage.ts'

const slackMs = 2_000

/** The receiver never accepts: every attempt follows its delay, and then comes a dead letter. */
export async function showDeadLetter(stage: Stage): Promise<void> {
  const delaysMs = [0, ...stage.times.retryDelaysMs]
  stage.answer(() => 503)
  await stage.surehook.table('orders').create({ customer: 'Dora', status: 'new', total: '1.00' })
  let previous: Receipt | undefined
  for (const [index, delayMs] of delaysMs.entries()) {
    const latestMs = delayMs * 1.1 + slackMs
    previous = await showAttempt(stage, { nth: index + 1, delayMs, latestMs, previous })
  }
  await stage.deliveriesWhen(
    ([newest]) => newest?.status === 'dead_letter' && newest.attempts === delaysMs.length,
    5_000,
  )
  stage.say(`  delivery log: dead_letter, attempts ${delaysMs.length}`)
}
