import type { EnvironmentState, ManagementTokenState } from '@surehook/contracts/events'
import type { LimitSettings } from '@surehook/contracts/http/admin/limit-settings'
import type { TrustedIssuer } from '@surehook/contracts/http/admin/trusted-issuers'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { ManagementRight } from '@surehook/contracts/rights'
import { EnvironmentName, ProjectId } from '@surehook/contracts/tenant-names'
import type { Kafka } from '@surehook/kafka/client/surface'
import type { LogEnds } from '@surehook/kafka/offsets/log-ends'
import { openTopicView, type TopicView } from '@surehook/kafka/views/topic-view'
import type { EventCodec } from '@surehook/schemas/codec'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { parsePart } from '@surehook/service-kit/http/violations'
import type { Logger } from 'pino'
import * as z from 'zod'
import { allowsUse, isExpired, requireUse, tokenHash, tokenInvalid } from './management-token.ts'
import {
  type AlertedEnvironment,
  type DeletedEnvironment,
  type EnvironmentOrigin,
  PlatformState,
  platformTopics,
} from './platform-state.ts'

/** Values of the headers of a management call. */
export type ManagementCredentials = {
  authorization: string | undefined
  projectId: string | string[] | undefined
  environment: string | string[] | undefined
  /** The right that the token needs. */
  right: ManagementRight
}

export type ManagementIdentity = { projectId: string; environment: string; tokenId: string }

export type PlatformAccess = AsyncDisposable & {
  readonly ready: Promise<void>
  readonly healthy: boolean
  /**
   * Resolves for a token that has the right in this project and environment, otherwise rejects
   * with 4xx or 503.
   */
  authorizeManagement(
    credentials: ManagementCredentials,
    signal?: AbortSignal,
  ): Promise<ManagementIdentity>
  /**
   * For what outlives its request: tells at any time whether the token still has the right in the
   * project and environment, by what is known here. False also while that is not current.
   */
  standingOf(credentials: ManagementCredentials): () => boolean
  environmentExists(projectId: string, environment: string, signal?: AbortSignal): Promise<boolean>
  /** Rejects with ENVIRONMENT_NOT_FOUND. */
  originOf(projectId: string, environment: string): Promise<EnvironmentOrigin>
  /** The limits that the environment sets itself, by local state. `null` for an unknown one. */
  limitsOf(projectId: string, environment: string): LimitSettings | null
  /** Environments whose deletion may be incomplete in some service. */
  deletedEnvironments(): readonly DeletedEnvironment[]
  /** Environments whose people are told about failing webhooks, by local state. */
  alertedEnvironments(): readonly AlertedEnvironment[]
  /**
   * True if users are admitted, by local state only. The state may be out of date in both
   * directions.
   */
  expectsUsers(projectId: string, environment: string): boolean
  /**
   * True if users of the environment are admitted, by all records acknowledged on the topic before
   * this call.
   */
  admitsUsers(projectId: string, environment: string, signal?: AbortSignal): Promise<boolean>
  /** The OpenID providers whose tokens the environment accepts, by local state only. */
  expectedIssuers(projectId: string, environment: string): readonly TrustedIssuer[]
  /** The same by all records acknowledged on the topic before this call. */
  trustedIssuers(projectId: string, environment: string): Promise<readonly TrustedIssuer[]>
  /**
   * Epoch under which the environment's keys must be learnt, by local state. It is current after
   * `admitsUsers`.
   */
  keyEpochOf(projectId: string, environment: string): number
}

export type PlatformAccessOptions = {
  kafka: Kafka
  codec: EventCodec
  clientId: string
  /** End offsets of `platformTopics`, shared with other readers that need them as well. */
  ends?: LogEnds
  log: Logger
}

/**
 * Authorises management calls from the platform topics. Wait for `ready` before the first request.
 */
export async function openPlatformAccess(options: PlatformAccessOptions): Promise<PlatformAccess> {
  const state = new PlatformState()
  const { kafka, codec, clientId, ends, log } = options
  const view = await openTopicView<EnvironmentState | ManagementTokenState>({
    kafka,
    codec,
    clientId: `${clientId}.platform`,
    topics: platformTopics,
    ends,
    apply: (topic, key, value) => state.apply(topic, key, value),
    log,
  })
  return createPlatformAccess({ state, view, now: Date.now })
}

export type PlatformAccessParts = {
  state: Pick<
    PlatformState,
    | 'tokenOf'
    | 'hasEnvironment'
    | 'originOf'
    | 'hasUsers'
    | 'trustedIssuersOf'
    | 'limitsOf'
    | 'deletedEnvironments'
    | 'alertedEnvironments'
    | 'keyEpochOf'
  >
  view: TopicView
  now: () => number
}

/** The authorisation rules, separate from their wiring so that tests can use a fake view. */
export function createPlatformAccess({ state, view, now }: PlatformAccessParts): PlatformAccess {
  /** An unknown entry may only be late. Brings the view up to date once, then looks again. */
  async function known<T>(find: () => T | undefined, signal?: AbortSignal): Promise<T | undefined> {
    // A view that does not follow its topic would accept revoked tokens.
    const current = view.healthy ? find() : undefined
    if (current !== undefined) return current
    await view.barrier(signal)
    return find()
  }

  return {
    ready: view.ready,
    get healthy() {
      return view.healthy
    },
    async authorizeManagement({ authorization, projectId, environment, right }, signal) {
      const hash = tokenHash(authorization)
      const token = await known(() => state.tokenOf(hash), signal)
      if (token === undefined || isExpired(token, now())) throw tokenInvalid()
      const tenant = readTenant(projectId, environment)
      requireUse(token, { ...tenant, right })
      return { ...tenant, tokenId: token.id }
    },
    standingOf({ authorization, projectId, environment, right }) {
      const hash = tokenHash(authorization)
      const tenant = readTenant(projectId, environment)
      return () => {
        const token = view.healthy ? state.tokenOf(hash) : undefined
        if (token === undefined || isExpired(token, now())) return false
        if (!allowsUse(token, { ...tenant, right })) return false
        return state.hasEnvironment(tenant.projectId, tenant.environment)
      }
    },
    async environmentExists(projectId, environment, signal) {
      const find = () => state.hasEnvironment(projectId, environment) || undefined
      return (await known(find, signal)) ?? false
    },
    async originOf(projectId, environment) {
      const found = await known(() => state.originOf(projectId, environment))
      if (found !== undefined) return found
      throw new AppError('ENVIRONMENT_NOT_FOUND', 'No such environment')
    },
    limitsOf: (projectId, environment) => state.limitsOf(projectId, environment),
    deletedEnvironments: () => state.deletedEnvironments(),
    alertedEnvironments: () => state.alertedEnvironments(),
    expectsUsers: (projectId, environment) => state.hasUsers(projectId, environment),
    async admitsUsers(projectId, environment, signal) {
      await view.barrier(signal)
      return state.hasUsers(projectId, environment)
    },
    expectedIssuers: (projectId, environment) => state.trustedIssuersOf(projectId, environment),
    async trustedIssuers(projectId, environment) {
      await view.barrier()
      return state.trustedIssuersOf(projectId, environment)
    },
    keyEpochOf: (projectId, environment) => state.keyEpochOf(projectId, environment),
    [Symbol.asyncDispose]: async () => view[Symbol.asyncDispose](),
  }
}

const tenantHeaders = z.object({ 'x-project-id': ProjectId, environment: EnvironmentName })

type Tenant = Omit<ManagementIdentity, 'tokenId'>

/**
 * Reads the project and environment from the request headers. Throws a violation for each fault.
 */
export function readTenant(projectId: unknown, environment: unknown): Tenant {
  const violations: RuledViolation[] = []
  const tenant = parsePart('headers', tenantHeaders, {
    input: { 'x-project-id': projectId, environment },
    violations,
  })
  if (tenant === undefined) throw invalid(violations)
  return { projectId: tenant['x-project-id'], environment: tenant.environment }
}
