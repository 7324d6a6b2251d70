import type { EventCodec } from '@surehook/contracts/codec'
import type { ChangeEvent } from '@surehook/contracts/events'
import { changeKey } from '@surehook/contracts/ids'
import { changesTopic } from '@surehook/contracts/topics'
import type { OutgoingRecord } from '@surehook/service-kit/kafka/producer'

const source = 'data-api'

type ChangeHeader = Omit<ChangeEvent, 'record' | 'source'> & { topic: string }

/** What the relay sends for one captured change: header and body as `capture_change` wrote them. */
export function changeRecord(
  codec: Pick<EventCodec, 'change'>,
  { header, body }: { header: Record<string, unknown>; body: string },
): OutgoingRecord {
  const { topic: _, ...change } = header as unknown as ChangeHeader
  const event: ChangeEvent = { ...change, record: body, source }
  return { topic: changesTopic, key: changeKey(event), value: codec.change.encode(event) }
}
