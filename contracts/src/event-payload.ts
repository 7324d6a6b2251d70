import * as z from 'zod'
import { changeOperations } from './events.ts'

/** The body of every delivery, as a receiver reads it. Its fields are in this order. */
export const EventPayload = z
  .object({
    id: z
      .string()
      .describe(
        'The event: the same in every attempt and for every subscription. To take each delivery once, use it together with the subscription, or the header `webhook-id`',
      ),
    timestamp: z.iso.datetime(),
    project_id: z.string(),
    environment: z.string(),
    table: z.string(),
    event: z.enum(changeOperations),
    record: z
      .record(z.string(), z.unknown())
      .describe(
        'After the change, for DELETE before it; only the selected fields if there are any',
      ),
    data: z.record(z.string(), z.unknown()).describe('The same as record'),
    changed_fields: z.array(z.string()).describe('What an UPDATE changed, else empty'),
  })
  .meta({ id: 'EventPayload' })
export type EventPayload = z.infer<typeof EventPayload>
