import * as z from 'zod'
import { ruled } from './violation-rules.ts'

/** What a management token may be used for. Every operation that takes one needs exactly one. */
export const managementRights = ['records', 'sources', 'tables', 'users', 'webhooks'] as const

export const ManagementRight = z.enum(managementRights)
export type ManagementRight = z.infer<typeof ManagementRight>

/** The rights of a new token. `undefined` means all, also those of later releases. */
export const ManagementRights = z
  .array(ManagementRight)
  .min(1)
  .max(managementRights.length)
  .refine((rights) => new Set(rights).size === rights.length, ruled('each right once', 'repeated'))
