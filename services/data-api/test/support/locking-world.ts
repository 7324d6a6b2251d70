import { Client as Connection } from 'pg'
import type { Config } from '../../src/config.ts'
import { openWorld, type Running, type World } from './under-test.ts'

export type LockingWorld = AsyncDisposable & {
  world: World
  running: Running
  /** Inspects the database. */
  admin: Connection
  /** Holds locks. */
  locker: Connection
}

/**
 * Opens the service and two further connections of the database's administrator.
 * @param changeOf changes the configuration of the service
 */
export async function openLockingWorld(
  changeOf: (world: World) => Partial<Config> = () => ({}),
): Promise<LockingWorld> {
  await using opening = new AsyncDisposableStack()
  const world = opening.use(await openWorld())
  const running = opening.use(await world.startService(changeOf(world)))
  const connect = async () => {
    const connection = new Connection({ connectionString: world.database.adminUrl })
    await connection.connect()
    opening.defer(() => connection.end())
    return connection
  }
  const [admin, locker] = [await connect(), await connect()]
  const opened = opening.move()
  return { world, running, admin, locker, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
