import { type ChangeLog, openChangeLog } from '@surehook/testing/change-log'
import { openClients, sharedStack } from '@surehook/testing/platform-service'

/** What comes out on `changes`. */
export async function followUserChanges(): Promise<ChangeLog> {
  const { kafka, codec } = await openClients(sharedStack())
  return openChangeLog(kafka, codec)
}
