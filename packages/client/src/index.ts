export type { Admin } from './admin/admin.ts'
export type { ConsoleCodes, ConsolePlace } from './admin/console-codes.ts'
export type { EnvironmentInput, Environments } from './admin/environments.ts'
export type { Installation, LedgerQuery } from './admin/installation.ts'
export type { Projects } from './admin/projects.ts'
export type { NewRole, Roles } from './admin/roles.ts'
export type { NewToken, Tokens } from './admin/tokens.ts'
export type { UserQuery, Users } from './admin/users.ts'
export * from './errors.ts'
export type {
  ConsoleCode,
  ConsoleSession,
  Environment,
  ManagementToken,
  OpenSession,
  Project,
  Role,
  UserAccount,
  UserChange,
  UserLock,
} from './generated/admin/types.gen.ts'
export type {
  AccessExplanation,
  ChangeInput,
  Table,
  TableInput,
} from './generated/data/types.gen.ts'
export type { Source, SourceInput } from './generated/sources/types.gen.ts'
export type {
  Delivery,
  DeliveryDetail,
  DeliveryPolicyInput,
  Endpoint,
  EnvironmentStats,
  EventBefore,
  EventCounts,
  EventDetail,
  EventPayload,
  Explanation,
  FoundDelivery,
  HistoryRebuild,
  InstallationHealth,
  Ledger,
  ListedEvent,
  Preview,
  Replay,
  ResealedPage,
  RunningJobs,
  Subscription,
  WebhookNumbers,
  WebhookStats,
} from './generated/webhooks/types.gen.ts'
export type { Changes } from './resources/changes.ts'
export type { Deliveries, DeliveryQuery } from './resources/deliveries.ts'
export type { Endpoints } from './resources/endpoints.ts'
export type { EventQuery, Events } from './resources/events.ts'
export type { PageQuery } from './resources/items.ts'
export type { ReadOptions, Records, VersionOptions } from './resources/records.ts'
export type { Sources } from './resources/sources.ts'
export type { NewRecord, RecordPage, RecordQuery, Stored } from './resources/stored-record.ts'
export type { Tables } from './resources/tables.ts'
export type {
  NewWebhook,
  WebhookChange,
  WebhookPreview,
  WebhookQuery,
  Webhooks,
} from './resources/webhooks.ts'
export type { ChangePage, ChangePageQuery, StreamedChange } from './stream/change-page.ts'
export type { ChangeEvent, ChangeStream, StreamOptions } from './stream/change-stream.ts'
export { Surehook, type SurehookOptions } from './surehook.ts'
export type { RequestOptions, WriteOptions } from './transport/operation.ts'
export type { TokenSource } from './transport/values.ts'
export type { WatchOptions, WatchQuery } from './watch/watch-records.ts'
