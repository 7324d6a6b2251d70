import { registrySecurity } from '@surehook/kafka/config/kafka-connection'
import { idleTransactionTimeoutMs } from '@surehook/service-kit/postgres/pool'
import { parseDuration } from '@surehook/service-kit/time'
import { Client } from 'pg'
import { defineCommand, exitCodes, Failure, UsageError } from '../cli/command.ts'
import { databaseUrlOf, kafkaClient, readKafkaVariables } from '../lib/connections.ts'
import { quietLog } from '../lib/quiet-log.ts'
import { type Reconciliation, reconcile } from '../reconcile/reconcile.ts'

export const reconcileCommand = defineCommand({
  name: 'reconcile',
  summary: 'Compare a restored database with the topics, and repair it',
  details: [
    'Run the command after you restored PostgreSQL and before auth-service, data-api and webhook-api start again.',
    'It lists the records and subscriptions whose newest state is on the topics and not in the database.',
    'With --apply it writes those states into the database without new events. It moves restored slots to the position of',
    'the topics and forgets missing slots: then run `surehook prepare database`, which creates them.',
    'It applies nothing while a slot cannot be read, unless --drop-unreadable gives the slot up.',
    'If another subscription has taken the key since, reconcile restores the subscription without its key.',
    'Exit code 1: something differs and was not applied.',
  ].join('\n'),
  options: {
    since: {
      type: 'string',
      value: 'when',
      required: true,
      help: 'the time of the backup, or earlier: 1h or 2d ago, or a time',
    },
    apply: { type: 'boolean', help: 'write the differences into the database' },
    'drop-unreadable': {
      type: 'boolean',
      help: 'with --apply: give up slots without their WAL, and the changes that they had not relayed',
    },
  },
  variables: {
    DATABASE_URL: 'an administrator',
    KAFKA_BROKERS: 'brokers as host:port, separated by commas',
    SCHEMA_REGISTRY_URL: 'a registry with the API of Confluent',
  },
  async run({ values, env, json, out, note, now, signal }) {
    const read = readKafkaVariables(env)
    const log = quietLog({ env, note })
    const connectionString = databaseUrlOf(env)
    const db = new Client({
      ...{ connectionString, connectionTimeoutMillis: 10_000 },
      idle_in_transaction_session_timeout: idleTransactionTimeoutMs,
    })
    await db.connect()
    try {
      await refuseRunning(db)
      const { apply } = values
      const found = await reconcile({
        db,
        kafka: kafkaClient(read, log),
        registry: {
          registryUrl: read.SCHEMA_REGISTRY_URL,
          registrySecurity: registrySecurity(read),
        },
        since: instantOf(values.since, now()),
        apply,
        dropUnreadable: values['drop-unreadable'],
        log,
        signal,
      })
      const lines = describe(found)
      out(json ? JSON.stringify(summary(found), null, 2) : lines.join('\n'))
      const isDone = found.applied && found.refused.length === 0
      return isDone || isSame(found) ? exitCodes.ok : exitCodes.wrong
    } finally {
      await db.end()
    }
  },
})

const isSame = ({ records, subscriptions, withoutTable, slots }: Reconciliation): boolean =>
  records.length + subscriptions.lost.size + withoutTable.size === 0 &&
  slots.every(({ state }) => state === 'there')

const summary = ({
  applied,
  read,
  leftOut,
  records,
  subscriptions: { lost, taken },
  refused,
  withoutTable,
  slots,
}: Reconciliation) => ({
  applied,
  read,
  leftOut,
  records: records.map(({ record: _, ...change }) => change),
  subscriptions: [...lost].map(([id, state]) => ({
    ...{ id, deleted: state === null },
    ...(taken.has(id) && { takenKey: taken.get(id) }),
  })),
  refused,
  withoutTable: Object.fromEntries(withoutTable),
  slots: slots.map(({ slot, state, reason }) => ({
    slot,
    state,
    ...(reason !== null && { reason }),
  })),
})

function describe(found: Reconciliation): string[] {
  const { applied, read, leftOut, records, subscriptions, withoutTable, slots } = found
  const gone = slots.filter(({ state }) => state === 'missing').map(({ slot }) => slot)
  const moved = slots.filter(({ relayed }) => relayed !== null).map(({ slot }) => slot)
  const done = applied ? ', written back' : ''
  return [
    `${read} records of the topics read${leftOut > 0 ? `, ${leftOut} left out that nobody can read` : ''}`,
    `${records.length} records differ from their tables${done}`,
    `${subscriptions.lost.size} subscriptions differ from their table${done}`,
    ...Array.from(
      subscriptions.taken,
      ([id, key]) =>
        `subscription ${id}: ${applied ? 'restored' : 'to be restored'} without its key ${key}, which another subscription has taken`,
    ),
    ...found.refused.map(({ row, reason }) => `${row}: not written back: ${reason}`),
    ...Array.from(
      withoutTable,
      ([table, changes]) => `${table}: no such table, ${changes} changes left out`,
    ),
    ...(moved.length === 0
      ? []
      : [`${applied ? 'moved' : 'to be moved'} to what is on Kafka: ${moved.join(', ')}`]),
    ...(gone.length === 0
      ? []
      : [`not there: ${gone.join(', ')}${applied ? '; run surehook prepare database' : ''}`]),
    ...describeUnreadable(found),
  ]
}

function describeUnreadable({ slots, applied }: Reconciliation): string[] {
  const lines = slots.flatMap(({ slot, state, reason }) =>
    state === 'unreadable' ? [`cannot be read: ${slot} (${reason})`] : [],
  )
  if (lines.length === 0) return []
  const next = applied
    ? 'dropped what cannot be read; run surehook prepare database'
    : 'nothing was applied: put the archived WAL into pg_wal and ask again, or give them up with --apply --drop-unreadable'
  return [...lines, next]
}

/** Running services would write during the comparison, and their relays would move the slots. */
async function refuseRunning(db: Client): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    `select distinct usename as name from pg_stat_activity
     where usename like 'surehook\\_%' and datname = current_database()`,
  )
  if (rows.length === 0) return
  throw new Failure(
    `stop the services first: ${rows.map(({ name }) => name).join(', ')} are connected`,
  )
}

function instantOf(text: string, now: number): number {
  const at = /^\d+(?:ms|s|m|h|d)$/.test(text) ? now - parseDuration(text) : Date.parse(text)
  if (Number.isNaN(at)) throw new UsageError('--since: a duration (90s, 1h, 2d) or a time')
  return at
}
