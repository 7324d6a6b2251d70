import { hostname } from 'node:os'
import type { RunningSystem } from '../lib/running-system.ts'

type StartReport = {
  seconds: string
  isOwnBroker: boolean
  testReceiver: string
  /** False in a container. Docker keeps what it prints, so it prints no token. */
  isCheckout: boolean
}

/** The text for a new user: the address, the credentials and the next steps. */
export function greeting(
  { baseUrl, adminToken }: Pick<RunningSystem, 'baseUrl' | 'adminToken'>,
  { seconds, isOwnBroker, testReceiver, isCheckout }: StartReport,
): string {
  const surehook = isCheckout ? 'npx surehook' : inContainer('surehook')
  const token = isCheckout ? adminToken : inContainer('cat /data/endpoints.json')
  return `
Surehook is ready (${seconds} s)

  base URL      ${baseUrl}
  console       ${baseUrl}/console/ (${surehook} console --operator opens it signed in)
  admin token   ${token}
  test receiver ${testReceiver} (answers every webhook with 204, or with ?status=503)

Try next, in another terminal:

  ${surehook} try    makes a first webhook, and prints each request
  ${isCheckout ? 'npm run demo     ' : `${surehook} demo --all`}   shows a receiver that fails, and a circuit that opens

Mails that users would get are shown here and kept in ${isCheckout ? '.local' : '/data'}/mail, unless SMTP_URL is set.
${isOwnBroker ? `${oneBroker}\n` : ''}${isCheckout ? endOfCheckout : endOfContainer}`
}

/** Docker gives a container its id as host name. */
const inContainer = (command: string) => `docker exec ${hostname()} ${command}`

const oneBroker =
  'Kafka is one broker here: changes survive a killed process, not a power cut. Production needs three.'
const endOfCheckout =
  'Ctrl-C stops everything. Logs are in .local/system, and in .local/stack or .local/containers.'
const endOfContainer =
  '"docker stop --time 60" stops everything. The volume /data keeps the state. Logs are in /data/system and /data/stack.'
