import type { EventCodec } from '@surehook/contracts/codec'
import type { ChangeEvent } from '@surehook/contracts/events'
import type { Captured } from '@surehook/service-kit/capture/capture'
import type { OutgoingRecord } from '@surehook/service-kit/kafka/producer'

const source = 'data-api'

type ChangeHeader = Omit<ChangeEvent, 'record' | 'source'>

/** What the relay sends for one captured change: header and body as `capture_change` wrote them. */
export function changeRecord(
  codec: Pick<EventCodec, 'change'>,
  { header, body }: Captured,
): OutgoingRecord {
  const { topic, key, ...change } = header
  const event: ChangeEvent = { ...(change as ChangeHeader), record: body, source }
  return { topic, key, value: codec.change.encode(event) }
}
