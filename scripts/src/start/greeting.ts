import type { RunningSystem } from '../lib/running-system.ts'

type StartReport = { seconds: string; isOwnBroker: boolean; testReceiver: string }

/** The text for a new user: the address, the credentials and the next steps. */
export function greeting(
  { baseUrl, adminToken }: Pick<RunningSystem, 'baseUrl' | 'adminToken'>,
  { seconds, isOwnBroker, testReceiver }: StartReport,
): string {
  return `
Surehook is ready (${seconds} s)

  base URL      ${baseUrl}
  console       ${baseUrl}/console/ (npx surehook console --operator opens it signed in)
  admin token   ${adminToken}
  test receiver ${testReceiver} (answers every webhook with 204, or with ?status=503)

Try next, in another terminal:

  npx surehook try    makes a first webhook, and prints each request
  npm run demo        shows a receiver that fails, and a circuit that opens

Mails that users would get are shown here and kept in .local/mail, unless SMTP_URL is set.
${isOwnBroker ? `${oneBroker}\n` : ''}Ctrl-C stops everything. Logs are in .local/system, and in .local/stack or .local/containers.`
}

const oneBroker =
  'Kafka is one broker here: changes survive a killed process, not a power cut. Production needs three.'
