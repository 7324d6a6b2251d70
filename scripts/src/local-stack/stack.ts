import type { Endpoints } from '../lib/endpoints.ts'
import type { ProcessHandle } from '../lib/processes/managed-process.ts'
import type { ComponentName } from './component.ts'

/**
 * Kafka, registry, PostgreSQL and Redis. The endpoint of an unrequested component is an empty
 * string.
 */
export type Stack = Endpoints & {
  processes: Partial<Record<ComponentName, ProcessHandle>>
  stop(): Promise<void>
}

export type StackOptions = {
  /** The directory of state and logs. Each directory has at most one running stack. */
  dir: string
  /** The components to start. The default is all. */
  only?: readonly ComponentName[]
  log?: (line: string) => void
}

/** Returns the stack of the started components. */
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
