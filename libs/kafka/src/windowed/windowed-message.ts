import type { KafkaMessage } from 'kafkajs'

export type WindowedMessage = {
  topic: string
  partition: number
  offset: number
  key: Buffer | null
  value: Buffer | null
  headers?: KafkaMessage['headers']
  /** When the broker took it, in milliseconds since 1970, as text. */
  timestamp: string
  /** Aborted when the partition is taken away: what has not started must not start any more. */
  lease: AbortSignal
  /** True when the offset was handed out before and is still open: its assigned partition was sought back. */
  reread: boolean
  /** Everything this message stood for is durable elsewhere: its offset may be committed. */
  finish: () => void
  /** Keep it open but count it no longer as held; it comes again only by `seek`. */
  detach: () => void
}
