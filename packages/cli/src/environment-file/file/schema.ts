import { RoleName } from '@surehook/contracts/http/admin/auth-settings'
import { chatKinds } from '@surehook/contracts/http/admin/chat-urls'
import {
  alertDigestInterval,
  alertEmails,
  mostChats,
} from '@surehook/contracts/http/admin/notify-settings'
import { TrustedIssuersInput } from '@surehook/contracts/http/admin/trusted-issuers'
import { ColumnName, TableName } from '@surehook/contracts/http/data/names'
import { refuseMixedTable, sourceFields } from '@surehook/contracts/http/data/table-source'
import { ColumnType, TableInput } from '@surehook/contracts/http/data/tables'
import { httpsUrlFault } from '@surehook/contracts/http/https-url'
import {
  SubscriptionDescription,
  SubscriptionKey,
  SubscriptionName,
} from '@surehook/contracts/http/webhooks/names'
import { PolicyInput } from '@surehook/contracts/http/webhooks/policy/policy'
import {
  Events,
  FilterInput,
  Select,
  WatchedTable,
} from '@surehook/contracts/http/webhooks/webhooks'
import * as z from 'zod'
import { fillVariables, isOneVariable, variableFault } from './variables.ts'

/** The version of the file's form that this command reads and writes. */
export const fileVersion = 2

const Version = z.custom<typeof fileVersion>((version) => version === fileVersion, {
  error: ({ input }) =>
    input === 1
      ? 'must be 2. Write `version: 2`, and `key` in place of the `name` of each subscription: ' +
        'its name is a text for people now'
      : 'must be 2',
})

const FileRole = z
  .strictObject({ selfAssignable: z.boolean().optional() })
  .nullable()
  .transform((role) => ({ selfAssignable: role?.selfAssignable ?? false }))

const FileColumn = z.strictObject({
  type: ColumnType,
  required: z.boolean().optional(),
  unique: z.boolean().optional(),
  default: z.unknown().optional(),
})

const FileTable = z
  .strictObject({
    columns: z.record(ColumnName, FileColumn).optional(),
    access: TableInput.shape.access.nullable(),
    ...sourceFields,
  })
  .superRefine(refuseMixedTable)
export type FileTable = z.infer<typeof FileTable>

/** `wishesOf` checks a URL with variables, once it has filled them in. */
const Url = z.string().superRefine((url, context) => {
  const { text, missing } = fillVariables(url, {})
  const message = variableFault(url) ?? (missing.length > 0 ? null : httpsUrlFault(text))
  if (message !== null) context.addIssue({ code: 'custom', message })
})

const Secret = z
  .string()
  .refine(isOneVariable, 'must be a variable such as ${BILLING_SECRET}: a file holds no secret')

const FileSubscription = z.strictObject({
  key: SubscriptionKey.optional(),
  name: SubscriptionName.nullable().optional(),
  description: SubscriptionDescription.nullable().optional(),
  table: WatchedTable,
  events: Events,
  url: Url,
  secret: Secret.optional(),
  active: z.boolean().optional(),
  filter: FilterInput.nullable().optional(),
  select: Select.nullable().optional(),
  policy: PolicyInput.extend({ headers: z.record(z.string(), z.string()).nullable().optional() })
    .nullable()
    .optional(),
})
export type FileSubscription = z.infer<typeof FileSubscription>

const FileNotify = z.strictObject({
  emails: alertEmails.optional(),
  chats: z
    .array(z.strictObject({ url: Secret, kind: z.enum(chatKinds).optional() }))
    .max(mostChats)
    .optional(),
  digestInterval: alertDigestInterval.optional(),
})
export type FileNotify = z.infer<typeof FileNotify>

/** The file `surehook.yaml`. An absent section is not managed. */
export const EnvironmentFile = z
  .strictObject({
    version: Version,
    roles: z.record(RoleName, FileRole).optional(),
    tables: z.record(TableName, FileTable).optional(),
    subscriptions: z.array(FileSubscription).optional(),
    notify: FileNotify.optional(),
    trustedIssuers: TrustedIssuersInput.optional(),
  })
  .superRefine(({ subscriptions = [] }, context) => {
    const seen = new Set<string>()
    for (const [index, { key }] of subscriptions.entries()) {
      if (key === undefined) continue
      const path = ['subscriptions', index, 'key']
      if (seen.has(key)) context.addIssue({ code: 'custom', message: 'each key once', path })
      seen.add(key)
    }
  })
export type EnvironmentFile = z.infer<typeof EnvironmentFile>
