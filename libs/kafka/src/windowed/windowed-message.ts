import type { KafkaMessage } from '../client/surface.ts'

export type WindowedMessage = {
  topic: string
  partition: number
  offset: number
  key: Buffer | null
  value: Buffer | null
  headers?: KafkaMessage['headers']
  /** The broker's timestamp in epoch milliseconds, as text. */
  timestamp: string
  /** Aborted when the partition is revoked: start no more work on the message. */
  lease: AbortSignal
  /**
   * True when the offset was handed out before and is still open, because its partition was sought
   * back.
   */
  reread: boolean
  /**
   * Call it when all results of the message are durable elsewhere: its offset may then be
   * committed.
   */
  finish: () => void
  /** Keeps the message open but no longer counts it as held. Only `seek` returns it again. */
  detach: () => void
}
