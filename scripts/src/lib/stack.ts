import type { ComponentName } from '../local-stack/component.ts'
import type { Endpoints } from './endpoints.ts'
import type { ProcessHandle } from './managed-process.ts'

/** Kafka, registry, PostgreSQL and Redis. The endpoint of a part that was not asked for is an empty string. */
export type Stack = Endpoints & {
  processes: Partial<Record<ComponentName, ProcessHandle>>
  stop(): Promise<void>
}

export type StackOptions = {
  /** State and logs; one running stack per directory. */
  dir: string
  /** Which components to start; all of them by default. */
  only?: readonly ComponentName[]
  log?: (line: string) => void
}

/** The stack of the parts that were started. */
export function stackOf(
  started: ReadonlyMap<ComponentName, { url: string; process: ProcessHandle }>,
  stop: () => Promise<void>,
): Stack {
  const urlOf = (name: ComponentName) => started.get(name)?.url ?? ''
  return {
    databaseUrl: urlOf('postgres'),
    kafkaBrokers: urlOf('kafka'),
    schemaRegistryUrl: urlOf('registry'),
    redisUrl: urlOf('redis'),
    processes: Object.fromEntries(Array.from(started, ([name, part]) => [name, part.process])),
    stop,
  }
}
