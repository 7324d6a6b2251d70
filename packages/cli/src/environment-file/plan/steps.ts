import type {
  Environment,
  EnvironmentInput,
  NewRole,
  NewWebhook,
  Role,
  Subscription,
  Table,
  TableInput,
  WebhookChange,
} from '@surehook/client'

/** The current state. `undefined`: the section was not read, because nothing asks for it. */
export type State = {
  roles?: readonly Role[] | undefined
  tables?: readonly StoredTable[] | undefined
  subscriptions?: readonly Subscription[] | undefined
  notify?: Environment['notify'] | undefined
  trustedIssuers?: Environment['trustedIssuers'] | undefined
}

/** `hasRecords` is known only for tables that may be deleted. */
export type StoredTable = Pick<Table, 'name' | 'columns' | 'access' | 'source'> & {
  hasRecords?: boolean
}

/** A difference of one field. The values of secrets are not part of it. */
export type Change =
  | { readonly field: string; readonly before: unknown; readonly after: unknown }
  | {
      readonly field: string
      readonly hidden: true
      /** The value is too short to be compared, so it is written again. */
      readonly unknown?: true
    }

type DescribedStep = {
  readonly name: string
  readonly changes: readonly Change[]
}

/** One call. The steps of a plan are carried out in their order. */
export type Step = DescribedStep &
  (
    | { readonly kind: 'role'; readonly action: 'create'; readonly input: NewRole }
    | { readonly kind: 'table'; readonly action: 'create' | 'update'; readonly input: TableInput }
    | { readonly kind: 'subscription'; readonly action: 'create'; readonly input: NewWebhook }
    | {
        readonly kind: 'subscription'
        readonly action: 'update'
        readonly id: string
        readonly input: WebhookChange
      }
    | { readonly kind: 'subscription'; readonly action: 'delete'; readonly id: string }
    | { readonly kind: 'table'; readonly action: 'delete' }
    | {
        readonly kind: 'notify'
        readonly action: 'update'
        readonly input: NonNullable<EnvironmentInput['notify']>
      }
    | {
        readonly kind: 'trustedIssuers'
        readonly action: 'update'
        readonly input: NonNullable<EnvironmentInput['trustedIssuers']>
      }
  )

export type Plan = {
  readonly steps: readonly Step[]
  /** What the file asks for and nobody can do. If there is one, no step may run. */
  readonly refusals: readonly string[]
  /** What exists and is not in the file. It stays. */
  readonly left: readonly string[]
}

export type PlanOptions = { readonly prune: boolean; readonly allowDataLoss: boolean }
