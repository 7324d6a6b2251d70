import type { ApiLimits, LimitSettings } from '@surehook/contracts/http/admin/limit-settings'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import type { PlatformAccess } from '../management-access.ts'
import type { Bucket } from './bucket.ts'
import { createRequestLimiter, type RequestLimiterOptions } from './request-limiter.ts'

/**
 * The caller whose credential was verified. `id` is that of its management token or of the user.
 */
export type LimitedCaller = { projectId: string; environment: string; id: string }

export type RequestLimits = {
  /**
   * Spends points of the caller's environment and of the caller, and sets the headers of the
   * answer. Rejects with RATE_LIMIT_EXCEEDED.
   */
  charge(context: RequestContext, caller: LimitedCaller, points: number): Promise<void>
}

/** The limits where an environment sets none. */
export type DefaultLimits = { perSecond: number; perTokenPerSecond: number }

export type RequestLimitsOptions = RequestLimiterOptions & {
  api: keyof LimitSettings
  defaults: DefaultLimits
  access: Pick<PlatformAccess, 'limitsOf'>
  /** Callers that share no limit with the others of the API. */
  callers?: 'users' | undefined
}

export function createRequestLimits(options: RequestLimitsOptions): RequestLimits {
  const { api, defaults, access, callers } = options
  const prefix = `surehook:limit:${[api, callers].filter(Boolean).join(':')}`
  const limiter = createRequestLimiter(options)
  return {
    async charge(context, { projectId, environment, id }, points) {
      const set = access.limitsOf(projectId, environment)
      // All unknown environments of a project share one bucket, so that nobody can create many.
      const project = `${prefix}:${projectId}/${set === null ? '' : environment}`
      const caller = `${project}/${id}`
      await limiter.spend({
        caller,
        buckets: () => bucketsOf({ project, caller }, set?.[api] ?? null, defaults),
        cost: points,
        onHeaders: ({ policy, standing }) => {
          context.setHeader('RateLimit-Policy', policy)
          context.setHeader('RateLimit', standing)
        },
      })
    },
  }
}

/** Items of a list that weigh as much as one request. */
const itemsPerPoint = 20

/** Points of a request with a list of so many items. */
export const pointsOfList = (items: number): number => Math.max(1, Math.ceil(items / itemsPerPoint))

const defaultBurstSeconds = 10

/** A token's bucket fills in the same time as that of the project. */
export function bucketsOf(
  keys: { project: string; caller: string },
  set: ApiLimits | null,
  defaults: DefaultLimits,
): readonly [project: Bucket, token: Bucket] {
  const perSecond = set?.perSecond ?? defaults.perSecond
  const burst = set?.burst ?? perSecond * defaultBurstSeconds
  const perToken = Math.min(perSecond, set?.perTokenPerSecond ?? defaults.perTokenPerSecond)
  const tokenBurst = Math.max(1, Math.floor((burst * perToken) / perSecond))
  return [
    { name: 'project', key: keys.project, perSecond, burst },
    { name: 'token', key: keys.caller, perSecond: perToken, burst: tokenBurst },
  ]
}
