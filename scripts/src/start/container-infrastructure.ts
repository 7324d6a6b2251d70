import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { findCompose } from '../compose/docker-commands.ts'
import { infrastructure } from '../compose/infrastructure-images.ts'
import { writeComposeFiles } from '../compose/write-compose-files.ts'
import type { Endpoints } from '../lib/endpoints.ts'
import { repoRoot, state } from '../lib/paths.ts'
import { freePort, isFree } from '../lib/ports.ts'
import { type ProcessHandle, startProcess } from '../lib/processes/managed-process.ts'
import { openProcessGroup, type ProcessGroup } from '../lib/processes/process-group.ts'
import { runCommand } from '../lib/run-command.ts'
import type { ComponentName } from '../local-stack/component.ts'
import { componentAnswers } from './component-answers.ts'
import { containersFile, startProject } from './containers-state.ts'

export type ContainerInfrastructure = Endpoints & { stop(): Promise<void> }

type Ports = Record<ComponentName, number>

const composeFilesDir = `${state.containersDir}/compose`
const readyTimeoutMs = 300_000
/** Long, because Kafka and PostgreSQL write their data to disk first. */
const stopTimeoutMs = 60_000

/**
 * Starts the containers, follows their logs, and stops them on a signal. The containers thus behave
 * like the other processes here, which end with their parent.
 */
const holder = `
end() { trap '' TERM INT HUP; [ -z "$logs" ] || kill "$logs" 2>/dev/null; "$@" stop; exit 0; }
trap 'end "$@"' TERM INT HUP
"$@" up --detach $COMPONENTS || exit 1
"$@" logs --follow --no-color --tail 1 $COMPONENTS &
logs=$!
wait "$logs"
`

/** Starts the named parts of docker-compose.yml on free ports. Resolves when they are ready. */
export async function startContainers(
  only: readonly ComponentName[],
  log: (line: string) => void,
): Promise<ContainerInfrastructure> {
  await mkdir(state.containersDir, { recursive: true })
  const group = await openProcessGroup(state.containersDir)
  try {
    const compose = await composeOfStart()
    const ports = await choosePorts()
    const facts = await writeComposeFiles(composeFilesDir, portVariables(ports))
    const { databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl } = facts
    const held = await holdContainers({ compose, only, ports, group, log })
    return {
      ...{ databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl },
      async stop() {
        await held.stop()
        await group.close()
      },
    }
  } catch (err) {
    await group.close()
    throw err
  }
}

type Holding = {
  compose: readonly string[]
  only: readonly ComponentName[]
  ports: Ports
  group: ProcessGroup
  log: (line: string) => void
}

async function holdContainers(holding: Holding): Promise<ProcessHandle> {
  try {
    return await startHolder(holding)
  } catch (err) {
    // A holder that was killed because it was not ready in time could not stop its containers.
    await runCommand({
      args: [...holding.compose, 'stop'],
      env: { COMPOSE_FILES_DIR: composeFilesDir },
      timeoutMs: stopTimeoutMs,
    })
    throw err
  }
}

function startHolder({ compose, only, ports, group, log }: Holding): Promise<ProcessHandle> {
  return startProcess(
    {
      name: 'containers',
      command: 'sh',
      args: ['-c', holder, 'surehook-containers', ...compose],
      cwd: repoRoot,
      env: {
        ...process.env,
        ...portVariables(ports),
        COMPOSE_FILES_DIR: composeFilesDir,
        COMPONENTS: only.join(' '),
        // Docker restarts a failed container, but not after a reboot.
        RESTART_POLICY: 'on-failure',
      },
      marker: startProject(),
      logFile: `${state.containersDir}/containers.log`,
      stopSignal: 'SIGTERM',
      isReady: async () => {
        const answers = only.map((name) => componentAnswers(name, ports[name]))
        return (await Promise.all(answers)).every((isThere) => isThere)
      },
      readyTimeoutMs,
      stopTimeoutMs,
      keepAlive: true,
    },
    { group, log },
  )
}

/** Removes the containers and volumes of `npm start`, if it ever had any. */
export async function removeContainers(): Promise<void> {
  if (!existsSync(containersFile)) return
  const args = [...(await composeOfStart()), 'down', '--volumes']
  const { ok, output } = await runCommand({ args, env: { COMPOSE_FILES_DIR: composeFilesDir } })
  if (!ok) throw new Error(`the containers of npm start cannot be removed:\n${output}`)
}

async function composeOfStart(): Promise<string[]> {
  const compose = await findCompose()
  if (compose === null) throw new Error('Docker Compose is not installed')
  return [...compose, '--project-directory', repoRoot, '--project-name', startProject()]
}

/**
 * Reuses the ports of the last run if they are free, so that the containers need not be recreated.
 */
async function choosePorts(): Promise<Ports> {
  const kept = existsSync(containersFile)
    ? (JSON.parse(await readFile(containersFile, 'utf8')) as Partial<Ports>)
    : {}
  const chosen = infrastructure.map(async (name) => {
    const last = kept[name]
    return [name, last !== undefined && (await isFree(last)) ? last : await freePort()] as const
  })
  const ports = Object.fromEntries(await Promise.all(chosen)) as Ports
  await writeFile(containersFile, `${JSON.stringify(ports)}\n`)
  return ports
}

/** The variables of docker-compose.yml. */
function portVariables(ports: Ports): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(ports).map(([name, port]) => [`${name.toUpperCase()}_PORT`, String(port)]),
  )
}
