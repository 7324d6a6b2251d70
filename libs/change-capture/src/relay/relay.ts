import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '@surehook/service-kit/backoff'
import { orAborted } from '@surehook/service-kit/bounded'
import { SlotLostError, SlotMonitor } from '../slot/slot-monitor.ts'
import { CaptureDecoder } from './capture-decoder.ts'
import { relayMeters } from './relay-meters.ts'
import type { CaptureOptions, RelayOptions } from './relay-options.ts'
import { RelaySession } from './relay-session.ts'
import type { WalDecoder } from './wal-decoder.ts'

export type { CaptureOptions, RelayOptions } from './relay-options.ts'

export type Relay = AsyncDisposable & {
  /**
   * `leader` relays, `standby` waits until the holder of the slot ends, `down` tries to connect.
   */
  readonly role: 'leader' | 'standby' | 'down'
  /** True when messages captured now reach Kafka, through this process or another. */
  readonly healthy: boolean
}

const standbyPollMs = 400
const lagEveryMs = 5_000
const backoff = { firstMs: 200, longestMs: 2_000 }
const lostWaitMs = 5_000

/** Sends a service's captured messages to Kafka while it is open. */
export function openRelay(options: CaptureOptions): Relay {
  return openSlotRelay({
    ...options,
    connection: { connectionString: options.databaseUrl },
    decoder: (origin, confirmed) => new CaptureDecoder(options, origin, confirmed),
  })
}

/** Opens a relay of any slot's content. */
export function openSlotRelay<Content>(options: RelayOptions<Content>): Relay {
  return new SlotRelay(options)
}

/**
 * Sends what one slot holds to Kafka, in commit order and at least once. It confirms the slot only
 * after Kafka's acknowledgement, and never creates the slot.
 */
class SlotRelay<Content> implements Relay {
  readonly #options: RelayOptions<Content>
  readonly #stop = new AbortController()
  readonly #meters: ReturnType<typeof relayMeters> | null
  readonly #done: Promise<void>
  #role: Relay['role'] = 'down'
  /** The session, while this process reads the slot. */
  #session: RelaySession<Content> | null = null

  constructor(options: RelayOptions<Content>) {
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
        this.#options.onFailure?.(err)
        // Only the reader of the slot reports the lag. Its last value must not remain.
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
    const { connection, service, slot } = this.#options
    await using monitor = await SlotMonitor.open(connection, { service, slot })
    const origin = await monitor.origin()
    for (;;) {
      const { confirmed, active } = await monitor.read()
      if (active) {
        this.#setRole('standby')
        await sleep(standbyPollMs, undefined, { signal: this.#stop.signal })
        continue
      }
      const decoder = this.#options.decoder(origin, confirmed)
      await using session = new RelaySession({
        ...{ ...this.#options, decoder, confirmed },
        onRelayed: (records) => this.#meters?.relayed(records),
      })
      if (!(await this.#tryStart(session))) continue
      this.#setRole('leader')
      this.#session = session
      try {
        await Promise.race([
          orAborted(session.ended, this.#stop.signal),
          this.#watch(monitor, decoder),
        ])
      } catch (err) {
        // Reset before the session closes, which may take seconds in which nothing is relayed.
        this.#role = 'down'
        this.#session = null
        throw err
      }
    }
  }

  /** Resolves with false when another replica has taken the slot. */
  async #tryStart(session: RelaySession<Content>): Promise<boolean> {
    try {
      await session.start()
      return true
    } catch (err) {
      const inUse = err instanceof Error && 'code' in err && err.code === '55006'
      if (inUse) return false
      throw err
    }
  }

  /** Never resolves. Rejects when the database is unreachable or the slot is lost. */
  async #watch(monitor: SlotMonitor, decoder: WalDecoder<Content>): Promise<never> {
    for (;;) {
      await decoder.watch(monitor)
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
