import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { openSlotRelay } from '@surehook/change-capture/relay/relay'
import type { Client } from 'pg'
import { RowsDecoder } from '../capture/rows-decoder.ts'
import { readFacts } from '../catalogue/read-facts.ts'
import { service } from '../config.ts'
import { shownReason } from '../connection/shown-reason.ts'
import type { StoredSlot } from '../slot/continuity.ts'
import { openSlot } from '../slot/open-slot.ts'
import { NotOwnerError, storeSlot } from '../slot/slot-store.ts'
import { type SourceRow, slotNameOf, tenantOf } from '../source-row.ts'
import type { SourceTable } from '../tables/source-tables.ts'
import { type Followed, forgetFollowed } from './followed-store.ts'
import { Heartbeat } from './heartbeat.ts'
import { isReady, type PreparedSource, prepareSource } from './prepare-source.ts'
import type { ColumnPublisher } from './publish-columns.ts'
import type { RunDeps } from './run-deps.ts'
import type { RunStatus } from './run-status.ts'
import { stateGap } from './state-gap.ts'
import type { WalGuard } from './wal-guard.ts'

const watchEveryMs = 3_000
/** Findings may appear while a source is captured. */
const judgeEveryMs = 20_000
const showFailureMs = 10_000
/** A kill repeats the changes of this time. */
const confirmEveryMs = 1_000

export type Capturing = {
  client: Client
  row: SourceRow
  deps: RunDeps
  status: RunStatus
  columns: ColumnPublisher
  guard: WalGuard
  prepared: PreparedSource
  /** The tables of the environment that led to `prepared`. */
  wanted: readonly SourceTable[]
  signal: AbortSignal
}

/**
 * Captures a source that is prepared, until it must be looked at again. Rejects when the connection
 * fails.
 */
export async function capture(of: Capturing): Promise<void> {
  const { client, row, deps, status, signal } = of
  const lease = { id: row.id, owner: deps.owner }
  const { systemId, timeline } = await openSlot({
    ...{ own: deps.pool, source: client, lease },
    onGap: (reason) => stateGap(of, { reason, table: null }),
    onCreate() {
      status.set({ state: 'pending', reason: 'The slot waits for open transactions to end' })
      return status.store()
    },
  })
  const heartbeat = new Heartbeat(client)
  const watch = new CaptureWatch(of, heartbeat)
  await using _relay = openSlotRelay({
    service,
    slot: slotNameOf(row.id),
    connection: deps.connectionOf(row),
    producer: deps.producer,
    confirmEveryMs,
    beforeConfirm: (acknowledged) => storeWhileAway(of, { systemId, timeline, acknowledged }),
    decoder: () => decoderOf(of, { systemId, heartbeat, watch }),
    onFailure: (err) => watch.failed(err),
    log: deps.log,
  })
  status.set({ state: 'capturing', reason: null })
  of.columns.publishCatalogue(of.prepared)
  while (!signal.aborted && (await watch.look())) {
    await status.store()
    await sleep(watchEveryMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Surehook's own database may be away for a moment. Reading again would repeat all changes. */
async function storeWhileAway({ row, deps, signal }: Capturing, slot: StoredSlot): Promise<void> {
  for (;;) {
    try {
      return await storeSlot(deps.pool, { id: row.id, owner: deps.owner }, slot)
    } catch (err) {
      if (signal.aborted || err instanceof NotOwnerError) throw err
      await sleep(confirmEveryMs, undefined, { signal })
    }
  }
}

type DecoderParts = { systemId: string; heartbeat: Heartbeat; watch: CaptureWatch }

function decoderOf(of: Capturing, { systemId, heartbeat, watch }: DecoderParts) {
  const { client, row, deps, status, columns } = of
  const { following } = of.prepared
  return new RowsDecoder({
    source: { ...tenantOf(row), name: row.name },
    origin: { systemId, database: client.database ?? '' },
    publication: row.publication,
    facts: (oid) => readFacts(client, oid),
    async onTable(table) {
      const followed = following.get(table.relation.oid)
      if (followed !== undefined) await columns.publish(table, followed)
    },
    async onUnfollowable(table) {
      await stateGap(of, { reason: 'table_left_out', table })
      await forgetFollowed(deps.pool, row.id, table)
      watch.judgeSoon()
    },
    onStranger({ schema, name }) {
      const isSame = (one: Followed) => one.schema === schema && one.name === name
      if (![...following.values()].some(isSame)) return
      // Its rows must not be confirmed: they are those of the followed table from now on.
      watch.mustEnd = true
      throw new Error(`${schema}.${name} was made anew`)
    },
    onHeartbeat: (content) => heartbeat.received(content),
    onChange(committedAt) {
      deps.metrics.changes.inc()
      status.set({ lastChangeAt: new Date(committedAt).toISOString() })
    },
    ...{ following, codec: deps.codec, log: deps.log },
  })
}

/** Looks after a source that is captured. */
class CaptureWatch {
  readonly #of: Capturing
  readonly #heartbeat: Heartbeat
  #judgeAt = performance.now() + judgeEveryMs
  #failedAt = Number.NEGATIVE_INFINITY
  mustEnd = false

  constructor(of: Capturing, heartbeat: Heartbeat) {
    this.#of = of
    this.#heartbeat = heartbeat
  }

  /** The relay begins anew at once, and may fail again at the same place. */
  failed(err: unknown): void {
    this.#failedAt = performance.now()
    this.#of.status.set({ state: 'stalled', reason: shownReason(err) })
  }

  judgeSoon(): void {
    this.#judgeAt = Number.NEGATIVE_INFINITY
  }

  /** Resolves with false when the capture must end. */
  async look(): Promise<boolean> {
    const { client, row, deps, wanted, status, guard } = this.#of
    const { name } = row
    if (this.mustEnd || !(await guard.look(client))) return false
    if (!isDeepStrictEqual(deps.tables.of({ ...tenantOf(row), name }), wanted)) return false
    if (!(await this.#judge())) return false
    await this.#heartbeat.send()
    if (this.#heartbeat.isLate) status.set({ state: 'stalled' })
    else if (performance.now() - this.#failedAt > showFailureMs) {
      status.set({ state: 'capturing', reason: null })
    }
    return true
  }

  /** Looks at the database again: its owner may have changed what the capture depends on. */
  async #judge(): Promise<boolean> {
    if (performance.now() < this.#judgeAt) return true
    const { client, row, deps, wanted, status, columns, prepared: before } = this.#of
    const prepared = await prepareSource({ own: deps.pool, source: client }, row, wanted)
    const { following, findings } = prepared
    if (!isReady(prepared) || !isDeepStrictEqual(following, before.following)) return false
    status.set({ findings })
    columns.publishCatalogue(prepared)
    this.#judgeAt = performance.now() + judgeEveryMs
    return true
  }
}
