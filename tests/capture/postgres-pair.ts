import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@surehook/scripts/lib/ports'
import { startLocalStack } from '@surehook/scripts/local-stack/local-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { query } from '@surehook/testing/database'

export type PostgresPair = AsyncDisposable & { primary: Stack; standby: Stack }

const run = promisify(execFile)

/**
 * A primary, and a standby that copies its failover slots. Readers of these slots get nothing that
 * the standby does not have.
 */
export async function openPostgresPair(): Promise<PostgresPair> {
  await using opening = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'pair-'))
  opening.defer(() => rm(dir, { recursive: true, force: true }))
  const port = await freePort()
  const start = (name: string, postgresSettings: Record<string, string>, at?: number) =>
    startLocalStack({
      dir: `${dir}/${name}`,
      only: ['postgres'],
      postgresSettings,
      ports: at === undefined ? {} : { postgres: at },
    })
  // `mkdtemp` lets only its owner in.
  await run('chmod', ['755', dir])
  const first = await start('primary', {}, port)
  await query(first.databaseUrl, `select pg_create_physical_replication_slot('standby', true)`)
  await first.stop()
  // The package has no pg_basebackup. A copy of a server that stands still is as good.
  await run('cp', ['-a', `${dir}/primary`, `${dir}/standby`])
  await run('cp', [
    '-a',
    `${dir}/standby/postgres/PG_VERSION`,
    `${dir}/standby/postgres/standby.signal`,
  ])
  const primary = await start('primary', { synchronized_standby_slots: 'standby' }, port)
  opening.defer(() => primary.stop())
  const { password } = new URL(primary.databaseUrl)
  const standby = await start('standby', {
    primary_conninfo: `host=127.0.0.1 port=${port} user=postgres password=${password} dbname=surehook`,
    primary_slot_name: 'standby',
    sync_replication_slots: 'on',
    hot_standby_feedback: 'on',
  })
  opening.defer(() => standby.stop())
  const resources = opening.move()
  return { primary, standby, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
