import { existsSync } from 'node:fs'
import { entryOf, type ServiceName } from '@surehook/scripts/system/service-catalog'
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
 * the other version, and waits until it is ready. Stops those of a service that the other version
 * lacks.
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
    const isThere = existsSync(entryOf(service, to.dir))
    if (isThere) await replica.restart()
    else await replica.stop()
    balancer?.putBack(replica)
    const became = isThere ? 'ready' : 'stopped'
    const took = seconds(performance.now() - startedAt)
    say(`     ${name}: ${to.name.split(' ')[0]}, ${became} after ${took}`)
  }
}
