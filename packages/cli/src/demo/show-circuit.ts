import { setTimeout as sleep } from 'node:timers/promises'
import { expectThat, type Stage, seconds } from './stage.ts'

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
  await showPaused(stage)
  stage.answer(() => 204)
  stage.say('  the receiver works again; the circuit stays open until the cooldown is over')
  await showCooldown(stage, openedAt)
  await recover(stage, openedAt)
}

async function failFiveTimes(stage: Stage): Promise<number> {
  stage.answer(() => 503)
  await insert(stage, threshold)
  const fifth = (await stage.arrived(threshold, 10_000))[threshold - 1]
  expectThat(fifth !== undefined, 'the fifth attempt is missing')
  stage.say(`  ${threshold} records, ${threshold} attempts answered 503: the circuit opens`)
  return fifth.at
}

async function showPaused(stage: Stage): Promise<void> {
  await insert(stage, moreWhileOpen)
  const [firstDelayMs = 0] = stage.times.retryDelaysMs
  await stage.deliveriesWhen(
    (all) => all.length >= total && all.slice(0, total).every(({ status }) => status === 'paused'),
    // The first five meet the open circuit only when their retries are due.
    firstDelayMs * 1.1 + slackMs,
  )
  const attempts = (await stage.arrived(threshold)).length
  expectThat(attempts === threshold, `${attempts} attempts were made instead of ${threshold}`)
  stage.say(`  ${moreWhileOpen} more records, no attempt; delivery log: ${total} paused`)
}

async function showCooldown(stage: Stage, openedAt: number): Promise<void> {
  const over = openedAt + stage.times.cooldownMs
  let saidAt = 0
  while (Date.now() < over && !stage.isOver() && (await stage.arrived(0)).length === 0) {
    const leftMs = over - Date.now()
    if (leftMs > 2_000 && Date.now() - saidAt >= 15_000) {
      stage.say(`  cooldown: ${Math.ceil(leftMs / 1_000)} s left`)
      saidAt = Date.now()
    }
    await sleep(Math.min(Math.max(leftMs, 0), 100))
  }
}

async function recover(stage: Stage, openedAt: number): Promise<void> {
  const [first] = await stage.arrived(total, slackMs * 2)
  const waitedMs = (first?.at ?? 0) - openedAt
  expectThat(
    waitedMs >= stage.times.cooldownMs,
    `an attempt was made ${seconds(waitedMs)} after the circuit opened`,
  )
  stage.say(`  the first delivery came ${seconds(waitedMs)} after the circuit opened, then all`)
  const log = await stage.deliveriesWhen(
    (all) => all.slice(0, total).every(({ status }) => status === 'delivered'),
    slackMs,
  )
  const counts = log.slice(0, total).map(({ attempts }) => attempts)
  const expected = [...Array(moreWhileOpen).fill(1), ...Array(threshold).fill(2)]
  expectThat(String(counts) === String(expected), `attempts in the log: ${counts.join(', ')}`)
  const arrived = (await stage.arrived(total)).length
  expectThat(arrived === total, `${arrived} requests came instead of ${total}`)
  stage.say(`  delivery log: ${total} delivered, none lost, none twice`)
}

/** In one request, because all first attempts must fail before the first retry is due. */
async function insert({ surehook }: Stage, count: number): Promise<void> {
  const records = Array.from({ length: count }, (_, n) => ({
    customer: `Cleo ${n + 1}`,
    status: 'new',
    total: `${n + 1}.50`,
  }))
  await surehook.table('orders').create(records)
}
