import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '@surehook/service-kit/backoff'
import { orAborted } from '@surehook/service-kit/bounded'
import { enableSlotFailover } from '../slot/enable-slot-failover.ts'
import { SlotLostError, SlotMonitor } from '../slot/slot-monitor.ts'
import { relayMeters } from './relay-meters.ts'
import type { RelayOptions } from './relay-options.ts'
import { RelaySession } from './relay-session.ts'

export type { RelayOptions } from './relay-options.ts'

export type Relay = AsyncDisposable & {
  /** `leader` relays; `standby` waits for the holder of the slot to go; `down` tries to get there. */
  readonly role: 'leader' | 'standby' | 'down'
  /** True when what is captured now reaches Kafka, through this process or another. */
  readonly healthy: boolean
}

const standbyPollMs = 400
const lagEveryMs = 5_000
const backoff = { firstMs: 200, longestMs: 2_000 }
const lostWaitMs = 5_000

/**
 * Sends what a service captured to Kafka, in commit order and at least once, for as long as it is
 * open. The slot is confirmed only after Kafka's acknowledgement, and never created here.
 */
export function openRelay(options: RelayOptions): Relay {
  return new SlotRelay(options)
}

class SlotRelay implements Relay {
  readonly #options: RelayOptions
  readonly #stop = new AbortController()
  readonly #meters: ReturnType<typeof relayMeters> | null
  readonly #done: Promise<void>
  #role: Relay['role'] = 'down'
  /** While this process reads the slot. */
  #session: RelaySession | null = null

  constructor(options: RelayOptions) {
    this.#options = options
    const { metrics } = options
    const state = () => ({
      role: this.#role,
      oldestWaitMs: this.#session?.oldestWaitMs ?? 0,
      isFull: this.#session?.isFull ?? false,
    })
    this.#meters = metrics === undefined ? null : relayMeters(metrics, state)
    this.#done = this.#runForEver()
  }

  get role(): Relay['role'] {
    return this.#role
  }

  get healthy(): boolean {
    return this.#role !== 'down' && this.#options.producer.healthy
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new DOMException('The relay was closed', 'AbortError'))
    await this.#done
  }

  async #runForEver(): Promise<void> {
    const { log, slot } = this.#options
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      const startedAt = performance.now()
      try {
        await this.#runOnce()
      } catch (err) {
        this.#role = 'down'
        if (this.#stop.signal.aborted) return
        failures = performance.now() - startedAt > 30_000 ? 1 : failures + 1
        // Only who reads the slot says how far behind it is: the last it knew must not stay.
        this.#meters?.lag.set(0)
        const lost = err instanceof SlotLostError
        this.#meters?.lost.set(lost ? 1 : 0)
        if (lost) log.error({ err, slot }, 'capture.slot.lost')
        else log.warn({ err, slot, failures }, 'capture.relay.restarting')
        await this.#wait(lost ? lostWaitMs : backoffMs(failures, backoff))
      }
    }
  }

  async #runOnce(): Promise<void> {
    const { databaseUrl, service, slot } = this.#options
    await using monitor = await SlotMonitor.open(databaseUrl, { service, slot })
    const origin = await monitor.origin()
    for (;;) {
      const { confirmed, active, failsOver } = await monitor.read()
      if (active) {
        this.#setRole('standby')
        await sleep(standbyPollMs, undefined, { signal: this.#stop.signal })
        continue
      }
      if (!failsOver) await this.#enableSlotFailover()
      await using session = new RelaySession({
        ...this.#options,
        confirmed,
        origin,
        onRelayed: (records) => this.#meters?.relayed(records),
      })
      if (!(await this.#tryStart(session))) continue
      this.#setRole('leader')
      this.#session = session
      try {
        await Promise.race([
          orAborted(session.ended, this.#stop.signal),
          this.#watchSlots(monitor, session),
        ])
      } catch (err) {
        // Before the session is closed, which may take seconds: nothing is relayed meanwhile.
        this.#role = 'down'
        this.#session = null
        throw err
      }
    }
  }

  /** For slots that were made before this was asked for; the relay does not depend on it. */
  async #enableSlotFailover(): Promise<void> {
    const { databaseUrl, slot, log } = this.#options
    try {
      await enableSlotFailover(databaseUrl, slot)
    } catch (err) {
      log.warn({ err, slot }, 'capture.slot.does-not-fail-over')
    }
  }

  /** False when another replica was faster. */
  async #tryStart(session: RelaySession): Promise<boolean> {
    try {
      await session.start()
      return true
    } catch (err) {
      const inUse = err instanceof Error && 'code' in err && err.code === '55006'
      if (inUse) return false
      throw err
    }
  }

  /** Never resolves; rejects when the database is away or the slot is lost. */
  async #watchSlots(monitor: SlotMonitor, session: RelaySession): Promise<never> {
    const { statesOf } = this.#options
    session.beganBefore((await monitor.read()).confirmed)
    for (;;) {
      const states = statesOf && (await monitor.confirmedOf(statesOf.slot))
      if (states != null) session.statesConfirmed(states)
      const { lagBytes } = await monitor.read()
      this.#meters?.lag.set(lagBytes)
      await sleep(lagEveryMs, undefined, { signal: this.#stop.signal, ref: false })
    }
  }

  #setRole(role: Relay['role']): void {
    this.#meters?.lost.set(0)
    if (role === this.#role) return
    this.#role = role
    this.#options.log.info({ role, slot: this.#options.slot }, 'capture.relay.role')
  }

  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }
}
