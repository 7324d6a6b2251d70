import { openChangePublisher } from '@surehook/publisher'
import { publishFlatOut } from '../load/load.ts'
import type { Bench } from '../platform/open-bench.ts'
import { tableWithSubscriptions } from '../platform/open-bench.ts'
import { type DeliveryRun, measureDeliveries, warmUp } from './delivery-run.ts'

const warmUpChanges = 200

/** Publishes changes to `changes` like a service, as fast as Kafka takes them. */
export async function fromTopic(
  bench: Bench,
  { fanOut, count }: { fanOut: number; count: number },
): Promise<DeliveryRun> {
  const project = await tableWithSubscriptions(bench, fanOut)
  await using publisher = await openChangePublisher({
    brokers: bench.system.kafkaBrokers.split(','),
    schemaRegistryUrl: bench.system.schemaRegistryUrl,
    source: 'bench',
  })
  const publish = async (changes: number) => {
    await publishFlatOut(publisher, project, { table: 'bench', count: changes })
    return changes * fanOut
  }
  await warmUp(bench, () => publish(warmUpChanges))
  return await measureDeliveries(bench, () => publish(count))
}

/** Fewer changes if each causes more deliveries. */
export const changesFor = (fanOut: number, changes: number): number =>
  Math.ceil(changes / Math.sqrt(fanOut))
