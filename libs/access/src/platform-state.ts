import type { EnvironmentState, ManagementTokenState } from '@surehook/contracts/events'
import { LimitSettings, noLimitSettings } from '@surehook/contracts/http/admin/limit-settings'
import { TrustedIssuer } from '@surehook/contracts/http/admin/trusted-issuers'
import { environmentsTopic, managementTokensTopic } from '@surehook/contracts/topics'
import * as z from 'zod'

/** An environment whose deletion was requested. */
export type DeletedEnvironment = { projectId: string; environment: string; deletedAt: string }

/** Tells an environment from an earlier one of its name. */
export type EnvironmentOrigin = Pick<EnvironmentState, 'createdAt' | 'changesFrom'>

/** An environment whose people are told about failing webhooks. */
export type AlertedEnvironment = Pick<
  EnvironmentState,
  'projectId' | 'environment' | 'createdAt'
> & {
  /** The shortest time between two alerts, in seconds. */
  digestInterval: number
}

type KnownEnvironment = EnvironmentOrigin & {
  admitsUsers: boolean
  keyEpoch: number
  limits: LimitSettings
  trustedIssuers: readonly TrustedIssuer[]
}

/** Environments and management tokens, read from the compacted platform topics. */
export class PlatformState {
  readonly #environments = new Map<string, KnownEnvironment>()
  readonly #alerted = new Map<string, AlertedEnvironment>()
  readonly #deleted = new Map<string, DeletedEnvironment>()
  readonly #tokensById = new Map<string, ManagementTokenState>()
  readonly #tokensByHash = new Map<string, ManagementTokenState>()

  /** Applies the next record of one of `platformTopics`. A `null` value is a tombstone. */
  apply(topic: string, key: string, value: EnvironmentState | ManagementTokenState | null): void {
    if (topic === environmentsTopic) {
      this.#applyEnvironment(key, value as EnvironmentState | null)
    } else if (topic === managementTokensTopic) {
      this.#applyToken(key, value as ManagementTokenState | null)
    }
  }

  #applyEnvironment(key: string, state: EnvironmentState | null): void {
    const earlier = this.#environments.get(key)?.keyEpoch ?? 0
    this.#environments.delete(key)
    this.#deleted.delete(key)
    this.#alerted.delete(key)
    if (state === null) return
    const { projectId, environment, deletedAt } = state
    if (deletedAt !== null) {
      this.#deleted.set(key, { projectId, environment, deletedAt })
      return
    }
    const settings = settingsOf(state)
    const { auth, limits, notify, trustedIssuers = [] } = settings ?? {}
    const digestInterval = notify?.digestInterval
    if (digestInterval !== undefined) {
      const { createdAt } = state
      this.#alerted.set(key, { projectId, environment, createdAt, digestInterval })
    }
    this.#environments.set(key, {
      admitsUsers: settings !== null && (auth?.enabled ?? true),
      limits: limitsOf(limits),
      trustedIssuers,
      // A version of auth-service without key epochs writes 0.
      keyEpoch: Math.max(state.keyEpoch, earlier),
      createdAt: state.createdAt,
      changesFrom: state.changesFrom,
    })
  }

  #applyToken(id: string, token: ManagementTokenState | null): void {
    const earlier = this.#tokensById.get(id)
    if (earlier !== undefined) this.#tokensByHash.delete(earlier.tokenHash)
    this.#tokensById.delete(id)
    if (token === null) return
    this.#tokensById.set(id, token)
    this.#tokensByHash.set(token.tokenHash, token)
  }

  tokenOf(hash: string): ManagementTokenState | undefined {
    return this.#tokensByHash.get(hash)
  }

  /** Environments whose deletion may be incomplete. */
  deletedEnvironments(): DeletedEnvironment[] {
    return [...this.#deleted.values()]
  }

  /** Environments whose people are told about failing webhooks. */
  alertedEnvironments(): AlertedEnvironment[] {
    return [...this.#alerted.values()]
  }

  hasEnvironment(projectId: string, environment: string): boolean {
    return this.#environments.has(`${projectId}/${environment}`)
  }

  /** True if the environment exists and has authentication enabled. */
  hasUsers(projectId: string, environment: string): boolean {
    return this.#environments.get(`${projectId}/${environment}`)?.admitsUsers === true
  }

  /** The OpenID providers whose tokens the environment accepts. Empty if it does not exist. */
  trustedIssuersOf(projectId: string, environment: string): readonly TrustedIssuer[] {
    return this.#environments.get(`${projectId}/${environment}`)?.trustedIssuers ?? []
  }

  /** The limits that the environment sets itself. `null` if the environment does not exist. */
  limitsOf(projectId: string, environment: string): LimitSettings | null {
    return this.#environments.get(`${projectId}/${environment}`)?.limits ?? null
  }

  originOf(projectId: string, environment: string): EnvironmentOrigin | undefined {
    return this.#environments.get(`${projectId}/${environment}`)
  }

  /** Epoch under which the environment's keys are learnt. 0 if the environment does not exist. */
  keyEpochOf(projectId: string, environment: string): number {
    return this.#environments.get(`${projectId}/${environment}`)?.keyEpoch ?? 0
  }
}

/** Authentication is on by default. Unreadable settings (`null`) admit nobody. */
function settingsOf({ settings }: EnvironmentState): z.infer<typeof Settings> | null {
  try {
    return Settings.parse(JSON.parse(settings))
  } catch {
    return null
  }
}

const Settings = z.object({
  auth: z.object({ enabled: z.boolean().optional() }).optional(),
  limits: z.unknown().optional(),
  notify: z.object({ digestInterval: z.number() }).nullable().optional().catch(null),
  // An earlier version of auth-service writes none. Unreadable ones are not trusted.
  trustedIssuers: z.array(TrustedIssuer).optional().catch([]),
})

/** An earlier version of auth-service writes no limits, and a later one perhaps other limits. */
const limitsOf = (limits: unknown): LimitSettings =>
  LimitSettings.safeParse(limits).data ?? noLimitSettings

export const platformTopics = [environmentsTopic, managementTokensTopic] as const
