import { expectStatus } from '../client/call.ts'
import { expectThat } from './expect-that.ts'
import { seconds } from './show-retries.ts'
import { deliveriesWhen, receiverPath, type Stage } from './stage.ts'

/** The product promises that the fifth consecutive failure opens the circuit. */
const threshold = 5
const moreWhileOpen = 3
const total = threshold + moreWhileOpen
const slackMs = 5_000

/**
 * Five records fail at once, the circuit opens and pauses everything, and then all of it is
 * delivered.
 */
export async function showCircuit(stage: Stage): Promise<void> {
  const openedAt = await failFiveTimes(stage)
  await holdEverything(stage)
  stage.receiver.answer(receiverPath, () => ({ status: 204 }))
  stage.say('  the receiver works again; the circuit stays open until the cooldown is over')
  await coolDown(stage, openedAt)
  await recover(stage, openedAt)
}

async function failFiveTimes(stage: Stage): Promise<number> {
  stage.receiver.forget(receiverPath)
  stage.receiver.answer(receiverPath, () => ({ status: 503 }))
  await insert(stage, threshold)
  const fifth = (await stage.arrived(threshold))[threshold - 1]
  expectThat(fifth !== undefined, 'the fifth attempt is missing')
  stage.say(`  ${threshold} records, ${threshold} attempts answered 503: the circuit opens`)
  return fifth.at
}

async function holdEverything(stage: Stage): Promise<void> {
  await insert(stage, moreWhileOpen)
  const [firstDelayMs = 0] = stage.delaysMs
  await deliveriesWhen(stage, {
    what: `${total} paused deliveries in the log`,
    // The first five meet the open circuit only when their retries are due.
    within: firstDelayMs * 1.1 + slackMs,
    areSo: (all) => all.slice(0, total).every(({ status }) => status === 'paused'),
  })
  stage.say(`  ${moreWhileOpen} more records, no attempt; delivery log: ${total} paused`)
}

async function coolDown(stage: Stage, openedAt: number): Promise<void> {
  const { receiver, cooldownMs, say } = stage
  const over = openedAt + cooldownMs
  let saidAt = 0
  while (Date.now() < over && receiver.receipts(receiverPath).length === threshold) {
    const leftMs = over - Date.now()
    if (leftMs > 2_000 && Date.now() - saidAt >= 15_000) {
      say(`  cooldown: ${Math.ceil(leftMs / 1_000)} s left`)
      saidAt = Date.now()
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(leftMs, 100)))
  }
}

async function recover(stage: Stage, openedAt: number): Promise<void> {
  const receipts = await stage.arrived(threshold + total, slackMs * 2)
  const waitedMs = (receipts[threshold]?.at ?? 0) - openedAt
  expectThat(
    waitedMs >= stage.cooldownMs,
    `an attempt was made ${seconds(waitedMs)} after the circuit opened`,
  )
  stage.say(`  the first delivery came ${seconds(waitedMs)} after the circuit opened, then all`)
  const log = await deliveriesWhen(stage, {
    what: `${total} delivered in the log`,
    within: slackMs,
    areSo: (all) => all.slice(0, total).every(({ status }) => status === 'delivered'),
  })
  const counts = log.slice(0, total).map(({ attempts }) => attempts)
  const expected = [...Array(moreWhileOpen).fill(1), ...Array(threshold).fill(2)]
  expectThat(String(counts) === String(expected), `attempts in the log: ${counts.join(', ')}`)
  const arrived = stage.receiver.receipts(receiverPath).length
  expectThat(arrived === threshold + total, `${arrived} requests came instead of 13`)
  stage.say(`  delivery log: ${total} delivered, none lost, none twice`)
}

/** In one request, because all first attempts must fail before the first retry is due. */
async function insert({ tenant }: Stage, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, n) => ({
    customer: `Cleo ${n + 1}`,
    status: 'new',
    total: `${n + 1}.50`,
  }))
  expectStatus(201, await tenant.rest('POST orders', records))
}
