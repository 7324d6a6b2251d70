import { getUserValues, UserValues } from '@surehook/contracts/http/user-values'
import { Problem } from '@surehook/contracts/problem'
import { unavailable } from '@surehook/service-kit/errors'

type Tenant = { projectId: string; environment: string }

/** How long a value counts after auth-service was asked for it. */
export const userValuesFreshForMs = 5_000

export type UserValuesOf = {
  /**
   * Resolves with what auth-service says of the user, at most `userValuesFreshForMs` ago: `null` for
   * a user who is unknown, disabled or deleted. Rejects with SERVICE_UNAVAILABLE without an answer.
   */
  of(tenant: Tenant, userId: string): Promise<UserValues | null>
}

export type UserValuesOptions = {
  /** The address of auth-service. */
  url: string
  serviceToken: string
  timeoutMs?: number
  /** Most users that are remembered. */
  maxUsers?: number
  fetch?: typeof fetch
  now?: () => number
}

type FreshValues = { values: UserValues | null; staleAt: number }

/** Asks auth-service for the values of users, one request per user at a time. */
export function createUserValues(options: UserValuesOptions): UserValuesOf {
  const { maxUsers = 5_000, now = () => performance.now() } = options
  /** The oldest answer first. */
  const known = new Map<string, FreshValues>()
  const asked = new Map<string, Promise<UserValues | null>>()

  async function learn(key: string, ...user: [Tenant, string]): Promise<UserValues | null> {
    // Counted from the request: the answer may have waited for its way back.
    const staleAt = now() + userValuesFreshForMs
    const values = await ask(options, ...user)
    known.delete(key)
    known.set(key, { values, staleAt })
    for (const [oldest, answer] of known) {
      if (known.size <= maxUsers && answer.staleAt > now()) break
      known.delete(oldest)
    }
    return values
  }

  return {
    of(tenant, userId) {
      const key = JSON.stringify([tenant.projectId, tenant.environment, userId])
      const remembered = known.get(key)
      if (remembered !== undefined && remembered.staleAt > now()) {
        return Promise.resolve(remembered.values)
      }
      const pending = asked.get(key)
      if (pending !== undefined) return pending
      const learning = learn(key, tenant, userId).finally(() => asked.delete(key))
      asked.set(key, learning)
      return learning
    },
  }
}

async function ask(
  { url, serviceToken, timeoutMs = 2_000, fetch: send = fetch }: UserValuesOptions,
  { projectId, environment }: Tenant,
  userId: string,
): Promise<UserValues | null> {
  try {
    const response = await send(
      url + getUserValues.path.replace('{id}', encodeURIComponent(userId)),
      {
        headers: {
          authorization: `Bearer ${serviceToken}`,
          'x-project-id': projectId,
          environment,
        },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      },
    )
    const body: unknown = await response.json()
    if (response.ok) return valuesIn(body)
    if (isUnknown(body)) return null
    throw new Error(`auth-service answered ${response.status}`)
  } catch (err) {
    throw unavailable('the values of the user cannot be read', err)
  }
}

function valuesIn(body: unknown): UserValues {
  const { email, attributes } = UserValues.parse(body)
  // Without a prototype: an attribute named `constructor` that nobody set must not be a function.
  return { email, attributes: Object.assign(Object.create(null), attributes) }
}

/** Another 404, such as that of an older auth-service, does not say that the user is unknown. */
function isUnknown(body: unknown): boolean {
  const { data } = Problem.safeParse(body)
  return data?.error === 'USER_NOT_FOUND' || data?.error === 'AUTH_NOT_CONFIGURED'
}
