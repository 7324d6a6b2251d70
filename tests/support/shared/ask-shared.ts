import type { Certificates } from '@surehook/scripts/receiver/certificates'
import type { SystemAddress } from '../system-address.ts'

/** What a test needs of a system that it shares with others. */
export type SharedSystem = SystemAddress & {
  /** For receivers at localhost, from an authority that the services trust. */
  readonly certificates: Certificates
  /** Where the system expects its mail server. */
  readonly mailPort: number
}

/** The system that the end-to-end tests of this Jest worker share. Starts it if necessary. */
export async function sharedSystem(): Promise<SharedSystem> {
  const url = systemUrl()
  if (url === null) throw new Error('only end-to-end tests share a system')
  return (await ask(`${url}/${process.env['TEST_SYSTEM_MODE']}`, 'GET')) as SharedSystem
}

/** Stops the shared system of this Jest worker, before another system starts on its stack. */
export async function stopSharedSystem(): Promise<void> {
  const url = systemUrl()
  if (url !== null) await ask(url, 'DELETE')
}

function systemUrl(): string | null {
  const url = process.env['TEST_SHARED_SYSTEMS']
  return url === undefined ? null : `${url}/${process.env['JEST_WORKER_ID']}`
}

async function ask(url: string, method: string): Promise<unknown> {
  const answer = await fetch(url, { method })
  const body: unknown = await answer.json()
  if (!answer.ok) throw new Error(`the shared system: ${JSON.stringify(body)}`)
  return body
}
