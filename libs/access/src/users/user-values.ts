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
  /** Ask auth-service again, because the user has changed. */
  forget(tenant: Tenant, userId: string): void
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

  function remember(key: string, answer: FreshValues): void {
    known.delete(key)
    known.set(key, answer)
    for (const [oldest, { staleAt }] of known) {
      if (known.size <= maxUsers && staleAt > now()) break
      known.delete(oldest)
    }
  }

  async function learn(key: string, ...user: [Tenant, string]): Promise<UserValues | null> {
    // Counted from the request: the answer may have waited for its way back.
    const staleAt = now() + userValuesFreshForMs
    const learning = ask(options, ...user)
    asked.set(key, learning)
    // An answer that was forgotten meanwhile may be older than the change.
    const isExpected = () => asked.get(key) === learning
    try {
      const values = await learning
      if (isExpected()) remember(key, { values, staleAt })
      return values
    } finally {
      if (isExpected()) asked.delete(key)
    }
  }

  return {
    of(tenant, userId) {
      const key = keyOf(tenant, userId)
      const remembered = known.get(key)
      if (remembered !== undefined && remembered.staleAt > now()) {
        return Promise.resolve(remembered.values)
      }
      return asked.get(key) ?? learn(key, tenant, userId)
    },
    forget(tenant, userId) {
      const key = keyOf(tenant, userId)
      known.delete(key)
      asked.delete(key)
    },
  }
}

const keyOf = ({ projectId, environment }: Tenant, userId: string): string =>
  JSON.stringify([projectId, environment, userId])

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
  const values = UserValues.parse(body)
  // Without a prototype: an attribute named `constructor` that nobody set must not be a function.
  return { ...values, attributes: Object.assign(Object.create(null), values.attributes) }
}

/** Another 404, such as that of an older auth-service, does not say that the user is unknown. */
function isUnknown(body: unknown): boolean {
  const { data } = Problem.safeParse(body)
  return data?.error === 'USER_NOT_FOUND' || data?.error === 'AUTH_NOT_CONFIGURED'
}
