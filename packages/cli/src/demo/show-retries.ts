import type { Receipt } from './demo-receiver.ts'
import { expectThat, type Stage, seconds } from './stage.ts'

const failures = 2
/** How late a retry may start after its delay and the jitter of 10 %. */
const slackMs = 3_000

/**
 * The receiver answers 503 twice. The same delivery comes again after each delay, and then
 * succeeds.
 */
export async function showRetries(stage: Stage): Promise<void> {
  const statusOf = (nth: number) => (nth <= failures ? 503 : 204)
  stage.answer(statusOf)
  await stage.surehook.table('orders').create({ customer: 'Bea', status: 'new', total: '5.00' })
  let previous: Receipt | undefined
  for (let nth = 1; nth <= failures + 1; nth++) {
    const delayMs = nth === 1 ? 0 : (stage.times.retryDelaysMs[nth - 2] ?? 0)
    previous = await showAttempt(stage, { nth, delayMs, latestMs: Infinity, previous })
  }
  await stage.deliveriesWhen(
    ([newest]) => newest?.status === 'delivered' && newest.attempts === failures + 1,
    slackMs * 2,
  )
  stage.say(`  delivery log: delivered, attempts ${failures + 1}; same id and bytes each time`)
}

type ExpectedAttempt = {
  nth: number
  delayMs: number
  /** The latest time after the attempt before. */
  latestMs: number
  previous: Receipt | undefined
}

/** Waits for the attempt, and checks its time, its bytes and its id. */
export async function showAttempt(
  stage: Stage,
  { nth, delayMs, latestMs, previous }: ExpectedAttempt,
): Promise<Receipt> {
  const receipt = (await stage.arrived(nth, delayMs * 1.1 + slackMs * 2))[nth - 1]
  expectThat(receipt !== undefined, `attempt ${nth} is missing`)
  const { at, body, headers } = previous ?? receipt
  const waitedMs = receipt.at - at
  expectThat(
    waitedMs >= delayMs && waitedMs <= latestMs,
    `attempt ${nth} came ${seconds(waitedMs)} after the one before, not ${seconds(delayMs)}`,
  )
  expectThat(body === receipt.body, `attempt ${nth} has another body`)
  expectThat(
    headers['webhook-id'] === receipt.headers['webhook-id'],
    `attempt ${nth} has another id`,
  )
  stage.say(`  attempt ${nth}  after ${seconds(waitedMs)}`)
  return receipt
}
