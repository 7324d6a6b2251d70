export * from './errors.ts'
export type {
  ListSessionsResponse,
  Me,
  PublicSettings,
  PublicUser,
  SignupResponse,
  UserSession,
} from './generated/types.gen.ts'
export type { AuthChange, EndReason } from './session/changes.ts'
export type { AuthStorage, StorageName } from './storage/auth-storage.ts'
export { SurehookAuth, type SurehookAuthOptions } from './surehook-auth.ts'
export type { Lock } from './tabs/lock.ts'
export type { RequestOptions } from './transport/request-options.ts'
