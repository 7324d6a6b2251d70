import * as z from 'zod'
import { changeOperations } from '../events.ts'

/** Body of every delivery. The fields are serialised in this order. */
export const EventPayload = z
  .object({
    id: z.string().describe('The event. The same in every attempt and for every subscription'),
    timestamp: z.iso.datetime(),
    project_id: z.string(),
    environment: z.string(),
    table: z.string(),
    event: z.enum(changeOperations),
    record: z
      .record(z.string(), z.unknown())
      .describe('The record after the change, or before a DELETE. Only the selected fields'),
    data: z.record(z.string(), z.unknown()).describe('The same as `record`'),
    changed_fields: z
      .array(z.string())
      .describe('The fields that an UPDATE changed, otherwise empty'),
  })
  .meta({ id: 'EventPayload' })
export type EventPayload = z.infer<typeof EventPayload>
