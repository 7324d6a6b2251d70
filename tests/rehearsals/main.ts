import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { jestCommand } from '@surehook/scripts/check/jest-step'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { runCommand } from '@surehook/scripts/lib/run-command'

/**
 * `npm run rehearse -- <name>`: exposes a separate system to a bad day or to an operator's routine.
 * docs/evidence/rehearsals.md has the results. Exits with 1 if anything was lost.
 */
type Rehearsal = { what: string } & (
  | { file: string; test?: string }
  // Takes the options after the name.
  | { script: string }
)

const rehearsals: Readonly<Record<string, Rehearsal>> = {
  'broker-restart': {
    what: 'Kafka is restarted in the middle of 1,000 changes',
    file: 'tests/faults/dependencies.faults.test.ts',
    test: 'kafka \\(SIGTERM\\)',
  },
  'broker-killed': {
    what: 'Kafka is killed in the middle of 1,000 changes',
    file: 'tests/faults/killed-services.faults.test.ts',
    test: 'Kafka broker',
  },
  'kafka-cluster': {
    what: 'three brokers are restarted in turn; then one is killed, one stands still, two are killed',
    file: 'tests/rehearsals/bad-days/kafka-cluster.faults.test.ts',
  },
  'postgres-failover': {
    what: "PostgreSQL's primary is lost, its synchronous stand-by is promoted",
    file: 'tests/rehearsals/bad-days/postgres-failover.faults.test.ts',
    test: ' synchronous',
  },
  'postgres-failover-async': {
    what: "PostgreSQL's primary is lost, an asynchronous stand-by that is behind is promoted",
    file: 'tests/rehearsals/bad-days/postgres-failover.faults.test.ts',
    test: 'asynchronous',
  },
  'postgres-frozen': {
    what: "PostgreSQL's primary stands still, its synchronous stand-by is promoted",
    file: 'tests/rehearsals/bad-days/postgres-failover.faults.test.ts',
    test: 'stands still',
  },
  'redis-flush': {
    what: 'Redis forgets everything in the middle of 600 changes',
    file: 'tests/rehearsals/bad-days/system.faults.test.ts',
    test: 'forgets everything',
  },
  'redis-away': {
    what: 'Redis is killed and stays away',
    file: 'tests/faults/dependencies.faults.test.ts',
    test: 'stays away',
  },
  'kafka-disk-full': {
    what: "Kafka's disk is full in the middle of 600 changes",
    file: 'tests/rehearsals/bad-days/kafka-disk-full.faults.test.ts',
  },
  'poisoned-messages': {
    what: 'unreadable messages arrive on every topic',
    file: 'tests/rehearsals/bad-days/system.faults.test.ts',
    test: 'poisoned messages',
  },
  'stuck-consumer': {
    what: 'one of two dispatchers stands still for longer than its session',
    file: 'tests/faults/paused-deliveries.faults.test.ts',
    test: 'stands still',
  },
  'expired-certificate': {
    what: "a receiver's certificate has expired, and is renewed",
    file: 'tests/rehearsals/bad-days/system.faults.test.ts',
    test: 'expired certificate',
  },
  'expired-server-certificates': {
    what: 'the certificates of Redis, PostgreSQL and Kafka have expired, and are renewed',
    file: 'tests/rehearsals/bad-days/expired-certificates.faults.test.ts',
  },
  'rolling-upgrade': {
    what: 'every replica is restarted in turn, others are killed meanwhile',
    file: 'tests/rehearsals/bad-days/system.faults.test.ts',
    test: 'rolling restart',
  },
  'rolling-dispatchers': {
    what: 'four dispatchers are restarted in turn; prints the delays on partitions that stay and that move',
    file: 'tests/rehearsals/dispatchers/rolling-dispatchers.faults.test.ts',
  },
  'more-partitions': {
    what: 'partitions are added while 3,000 deliveries wait (WAITING=1000000 for as many)',
    file: 'tests/rehearsals/growth/more-partitions.faults.test.ts',
  },
  'registry-away': {
    what: 'the schema registry is killed, and away when services start',
    file: 'tests/faults/dependencies.faults.test.ts',
    test: 'registry',
  },
  upgrade: {
    what: 'a loaded system is upgraded from an older commit, and goes back (--help)',
    script: 'tests/rehearsals/upgrade/main.ts',
  },
  restore: {
    what: 'PostgreSQL is lost under load and restored from a backup, its WAL and the topics',
    script: 'tests/rehearsals/restore/main.ts',
  },
  kubernetes: {
    what: 'the steps of docs/operate/kubernetes.md, in a test cluster (--help)',
    script: 'tests/rehearsals/kubernetes/main.ts',
  },
  rotation: {
    what: 'every secret of a secured system is replaced under load',
    script: 'tests/rehearsals/rotation/main.ts',
  },
}

const [name, ...options] = process.argv.slice(2)
const rehearsal = rehearsals[name ?? '']
if (rehearsal === undefined) {
  const lines = Object.entries(rehearsals).map(([key, { what }]) => `  ${key.padEnd(24)} ${what}`)
  process.stdout.write(['npm run rehearse -- <name>', ...lines, ''].join('\n'))
  process.exitCode = name === undefined ? 0 : 1
} else {
  process.exitCode = await rehearse(rehearsal)
}

async function rehearse(one: Rehearsal): Promise<number> {
  process.stdout.write(`${one.what}\n`)
  if ('script' in one) return run([...process.execArgv, one.script, ...options])
  const { file, test } = one
  const built = await runCommand({ args: ['npm', 'run', '-s', 'build'] })
  if (!built.ok) throw new Error(`the build failed:\n${built.output}`)
  const [, ...jest] = jestCommand
  const level = ['--selectProjects', 'faults', '--runInBand']
  const which = ['--runTestsByPath', file, ...(test === undefined ? [] : ['-t', test])]
  return run([...jest, ...level, '--verbose', ...which])
}

async function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, {
    cwd: repoRoot,
    stdio: 'inherit',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
