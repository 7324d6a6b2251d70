import type { ServiceName } from '@surehook/scripts/system/service-catalog'
import type { Version } from '@surehook/scripts/versions/check-out'
import { seconds } from '../../faults/suite/seconds.ts'
import { replicaName } from '../../faults/suite/stage/links.ts'
import type { Stage } from '../../faults/suite/stage/stage.ts'
import type { ReplicaVersions } from './versions.ts'

export type Rolling = {
  stage: Pick<Stage, 'system' | 'balancers'>
  versions: ReplicaVersions
  say: (line: string) => void
}

/**
 * Restarts each replica of a service in turn: takes it out of the balancer, sends SIGTERM, starts
 * the other version, and waits until it is ready.
 */
export async function roll(
  { stage, versions, say }: Rolling,
  service: ServiceName,
  to: Version,
): Promise<void> {
  const balancer = stage.balancers.get(service)
  for (const [place, replica] of stage.system.services[service].entries()) {
    const name = replicaName(service, place)
    const startedAt = performance.now()
    await balancer?.takeOut(replica)
    await versions.set(name, to)
    await replica.restart()
    balancer?.putBack(replica)
    say(
      `     ${name}: ${to.name.split(' ')[0]}, ready after ${seconds(performance.now() - startedAt)}`,
    )
  }
}
