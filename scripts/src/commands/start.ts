import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { isCheckout, state } from '../lib/paths.ts'
import { isFree } from '../lib/ports.ts'
import { endLeftovers, ownerOf } from '../lib/processes/process-group.ts'
import { runCommand } from '../lib/run-command.ts'
import { type RunningSystem, webhookTimes } from '../lib/running-system.ts'
import { type MailCatcher, startMailCatcher } from '../mail/mail-catcher.ts'
import { ensureDemoCa } from '../receiver/demo-ca.ts'
import { untilWritable } from '../start/first-write.ts'
import { greeting } from '../start/greeting.ts'
import { keepSecrets } from '../start/keep-secrets.ts'
import { type Infrastructure, openInfrastructure } from '../start/open-infrastructure.ts'
import { say, secondsSinceStart, step } from '../start/progress.ts'
import { showFirstDelivery, wantsFirstDelivery } from '../start/show-first-delivery.ts'
import { openTestReceiver, type TestReceiver, testReceiverPort } from '../start/test-receiver.ts'
import { trustedAuthorities } from '../start/trusted-authorities.ts'
import { modeOf } from '../system/service-catalog.ts'
import { type System, startServices } from '../system/start-services.ts'

type Running = {
  facts: RunningSystem
  system: System
  infrastructure: Infrastructure
  mailCatcher: MailCatcher | null
  receiver: TestReceiver
}

// Above the start, which reads it before the rest of the module has run.
const noTerminal = '\nProject demo was not made: the output is not a terminal.'

/** `npm start`: starts everything from scratch and runs until Ctrl-C. */
// Until everything is up, no clean shut-down is needed: the started processes end with this one.
const giveUp = () => process.exit(130)
process.on('SIGINT', giveUp).on('SIGTERM', giveUp)

try {
  const running = await start(process.env)
  process.off('SIGINT', giveUp).off('SIGTERM', giveUp)
  const seconds = secondsSinceStart()
  const testReceiver = running.receiver.url
  const isOwnBroker = !process.env['KAFKA_BROKERS']
  say(greeting(running.facts, { seconds, isOwnBroker, testReceiver, isCheckout }))
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await Promise.race([stopped, beginWithDelivery(running)])
  await stopped
  // A process manager may send the signal to each process, and each passes it on to this one.
  process.on('SIGTERM', () => {})
  say('\nstopping')
  await stop(running)
} catch (err) {
  console.error(err instanceof Error ? err.message : err)
  process.exit(1)
}

async function start(env: NodeJS.ProcessEnv): Promise<Running> {
  const port = Number(env['PORT'] || 8080)
  const mode = modeOf(env)
  await refuseWhenTaken(port)
  const [infrastructure, secrets, demoCa] = await Promise.all([
    openInfrastructure(env),
    keepSecrets(state.secretsFile, env),
    ensureDemoCa(state.demoCaDir),
    ...(isCheckout ? [step('built', build)] : []),
  ])
  const { endpoints } = infrastructure
  const mailCatcher = env['SMTP_URL'] ? null : await catchMails()
  const receiverPort = Number(env['TEST_RECEIVER_PORT'] || testReceiverPort)
  const receiver = await openTestReceiver(demoCa, receiverPort)
  if (new URL(receiver.url).port !== String(receiverPort)) {
    say(`port ${receiverPort} is taken: the test receiver listens at ${receiver.url}`)
  }
  const trusted = await trustedAuthorities(env, {
    caFile: demoCa.caFile,
    target: state.authoritiesFile,
  })
  const how = mode === 'single' ? 'in one process' : 'in a process each'
  const system = await step(`database migrated, services ready ${how}`, () =>
    startServices({
      dir: state.systemDir,
      endpoints,
      secrets,
      mode,
      port,
      // The port of a container is published from all of its addresses.
      host: isCheckout ? '127.0.0.1' : '0.0.0.0',
      env: {
        ...localDefaults(port),
        CONSOLE_TEST_RECEIVER: receiver.url,
        ...env,
        ...trusted,
        ...(mailCatcher !== null && { SMTP_URL: mailCatcher.url }),
      },
      keepAlive: true,
      log: say,
    }),
  )
  await step('first write accepted', () => untilWritable(endpoints, system))
  const facts = {
    baseUrl: system.baseUrl,
    adminToken: secrets.adminToken,
    ...endpoints,
    ...webhookTimes(env),
  }
  await writeFile(state.endpointsFile, `${JSON.stringify(facts, null, 2)}\n`, { mode: 0o600 })
  return { facts, system, infrastructure, mailCatcher, receiver }
}

/** Shows a person a first delivery. */
async function beginWithDelivery({ facts, receiver }: Running): Promise<void> {
  const { env, stdout, argv } = process
  if (!wantsFirstDelivery({ env, isInteractive: stdout.isTTY })) {
    if (wantsFirstDelivery({ env, isInteractive: true })) say(noTerminal)
    return
  }
  const opensConsole = !argv.includes('--no-open')
  const told = await showFirstDelivery(facts, { env, receiverUrl: receiver.url, opensConsole })
  if (told !== null) say(told)
}

async function refuseWhenTaken(port: number): Promise<void> {
  const dirs = [state.systemDir, state.stackDir, state.containersDir]
  const owner = (await Promise.all(dirs.map(ownerOf))).find((pid) => pid !== null)
  if (owner !== undefined)
    throw new Error(`Surehook already runs from this checkout (process ${owner})`)
  const ended = (await Promise.all(dirs.map(endLeftovers))).flat()
  if (ended.length > 0) say(`ended what a killed start had left: ${ended.join(', ')}`)
  if (!(await isFree(port))) {
    throw new Error(`port ${port} is taken; choose another: PORT=${port + 1} npm start`)
  }
}

async function build(): Promise<void> {
  const { ok, output } = await runCommand({ args: ['npm', 'run', '-s', 'build:services'] })
  if (!ok) throw new Error(`the build failed:\n${output}`)
}

/** Shows mails instead of sending them, unless a mail server is set. */
function catchMails(): Promise<MailCatcher> {
  return startMailCatcher({ dir: state.mailDir, show: say })
}

function localDefaults(port: number): NodeJS.ProcessEnv {
  const thisMachine = '127.0.0.0/8,::1/128'
  return {
    PUBLIC_URL: `http://localhost:${port}`,
    SOURCE_ALLOWED_NETWORKS: thisMachine,
    WEBHOOK_ALLOWED_NETWORKS: thisMachine,
  }
}

async function stop({ system, infrastructure, mailCatcher, receiver }: Running): Promise<void> {
  await rm(state.endpointsFile, { force: true })
  await system.stop()
  await mailCatcher?.stop()
  await receiver[Symbol.asyncDispose]()
  await infrastructure.stop()
}
