import { Failure } from '../cli/command.ts'
import { showChanges } from './show-changes.ts'
import { showCircuit } from './show-circuit.ts'
import { showRetries } from './show-retries.ts'
import { type DemoOptions, openStage, type Stage, seconds } from './stage.ts'
import { verifyReceipt } from './verify-receipt.ts'

const acts: readonly [title: string, play: (stage: Stage) => Promise<void>][] = [
  ['Every change arrives, signed', showChanges],
  ['A receiver that fails gets it again', showRetries],
  ['Five failures in a row open the circuit', showCircuit],
]

/** Shows the main features, one after the other. It deletes what it created. */
export async function playAll(options: DemoOptions): Promise<void> {
  const { say } = options
  const startedAt = performance.now()
  {
    await using stage = await openStage(options)
    for (const [index, [title, play]] of acts.entries()) {
      say(`\n${index + 1}  ${title}`)
      await play(stage)
    }
  }
  say(`\nCleaned up. Everything worked (${seconds(performance.now() - startedAt)}).`)
}

/** Follows one change through the whole system, up to its receiver. */
export async function playDelivery(options: DemoOptions): Promise<void> {
  await using stage = await openStage(options)
  const { id } = await insertOne(stage)
  await stage.deliveriesWhen(([newest]) => newest?.status === 'delivered')
  const receipts = await stage.arrived(0)
  const mine = receipts.find(({ body }) => body.includes(id))
  if (mine === undefined) throw new Failure('delivered, but not to this receiver')
  verifyReceipt(mine, stage.secret)
  stage.say('delivered, with a valid signature: all parts work')
}

/** Follows one change up to the first attempt. */
export async function playFirstAttempt(options: DemoOptions): Promise<void> {
  await using stage = await openStage(options)
  await insertOne(stage)
  const [newest] = await stage.deliveriesWhen(([first]) => (first?.attempts ?? 0) > 0)
  stage.say(`first attempt made (${newest?.lastError ?? newest?.status}): all parts work`)
}

async function insertOne({ surehook, say }: Stage): Promise<{ id: string }> {
  const record = await surehook.table('orders').create({ customer: 'Ada' })
  say(`record ${record.id}`)
  return record
}
