import {
  formatWalPosition,
  statesPositionHeader,
  type WalOrigin,
  walPositionHeader,
} from '@surehook/contracts/wal-position'
import type { OutgoingRecord } from '@surehook/kafka/producer/producer'
import { reasonOf } from '@surehook/service-kit/errors'
import { type CapturedHeader, capturePrefix, parseCaptured } from '../emit/capture.ts'
import type { InvalidCapture } from '../emit/to-invalid.ts'
import type { SlotMonitor } from '../slot/slot-monitor.ts'
import { type CaptureContent, CapturePlugin } from './capture-plugin.ts'
import type { CaptureOptions } from './relay-options.ts'
import { RelaySpans } from './relay-spans.ts'
import { StatesPosition } from './states-position.ts'
import type { WalDecoder, WalPlace } from './wal-decoder.ts'

/** Turns the messages that a service captured with its writes into records. */
export class CaptureDecoder implements WalDecoder<CaptureContent> {
  readonly plugin: CapturePlugin
  readonly #options: CaptureOptions
  readonly #origin: WalOrigin
  readonly #states: StatesPosition
  readonly #spans: RelaySpans | undefined
  #watched = false

  /** @param confirmed position of the slot, from which it is read */
  constructor(options: CaptureOptions, origin: WalOrigin, confirmed: bigint) {
    const { service, publication = 'surehook_capture', statesOf, tracer } = options
    this.#options = options
    this.#origin = origin
    this.#states = new StatesPosition(confirmed)
    this.#spans = tracer && new RelaySpans(tracer)
    this.plugin = new CapturePlugin({
      publication,
      prefix: capturePrefix(service),
      statesPrefix: statesOf && capturePrefix(statesOf.service),
    })
  }

  records(content: CaptureContent, { commit }: WalPlace): readonly OutgoingRecord[] {
    if (content.tag === 'state') {
      this.#states.passed()
      return []
    }
    const record = this.#toRecord(content.text)
    return [{ ...record, headers: { ...record.headers, ...this.#positions(commit) } }]
  }

  reached(lsn: bigint): void {
    this.#states.reached(lsn)
  }

  acknowledged(record: OutgoingRecord): void {
    this.#spans?.acknowledged([record])
  }

  refused({ topic, key, value }: OutgoingRecord, reason: string): OutgoingRecord {
    return this.#refuse({ topic, key: key === null ? null : String(key), value, reason })
  }

  async watch(monitor: SlotMonitor): Promise<void> {
    // Another process may have advanced the slot after its position was read.
    if (!this.#watched) this.#states.beganBefore((await monitor.read()).confirmed)
    this.#watched = true
    const { statesOf } = this.#options
    const confirmed = statesOf && (await monitor.confirmedOf(statesOf.slot))
    if (confirmed != null) this.#states.confirmed(confirmed)
  }

  [Symbol.dispose](): void {
    this.#spans?.[Symbol.dispose]()
  }

  #positions(commit: bigint): Record<string, string> {
    const { published } = this.#states
    return {
      [walPositionHeader]: formatWalPosition(this.#origin, commit),
      ...(published !== null && {
        [statesPositionHeader]: formatWalPosition(this.#origin, published),
      }),
    }
  }

  #toRecord(content: string): OutgoingRecord {
    let header: CapturedHeader | null = null
    try {
      const captured = parseCaptured(content)
      header = captured.header
      const record = this.#options.toRecord(captured)
      return this.#spans?.begin(header, record) ?? record
    } catch (err) {
      const { topic = null, key = null } = header ?? {}
      return this.#refuse({ topic, key, value: Buffer.from(content), reason: reasonOf(err) })
    }
  }

  /** Does not log the reason: it may quote a record, a hash or an encrypted secret. */
  #refuse(invalid: InvalidCapture): OutgoingRecord {
    const { toInvalid, log, slot } = this.#options
    const { topic, key, value } = invalid
    log.error({ slot, topic, key, bytes: value?.length ?? 0 }, 'capture.invalid')
    return toInvalid(invalid)
  }
}
