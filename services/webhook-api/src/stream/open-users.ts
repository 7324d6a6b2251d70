import type { PlatformAccess } from '@surehook/access/management-access'
import { createUserAccess } from '@surehook/access/users/user-access'
import { openUserTokens } from '@surehook/access/users/user-tokens'
import { createUserValues } from '@surehook/access/users/user-values'
import { revocationsTopic } from '@surehook/contracts/topics'
import type { Messaging } from '@surehook/kafka/messaging'
import { LogEnds } from '@surehook/kafka/offsets/log-ends'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import type { Metrics } from '@surehook/service-kit/telemetry/metrics'
import type { Config } from '../config.ts'
import type { StreamUsers } from './stream-caller.ts'

export type UsersDeps = {
  config: Pick<Config, 'users' | 'kafka'>
  messaging: Pick<Messaging, 'kafka' | 'codec'>
  access: PlatformAccess
  metrics: Metrics
  log: Logger
}

export type Users = AsyncDisposable & {
  readonly ready: Promise<void>
  readonly healthy: boolean
  /** `null` if the installation has not set what users' tokens need. */
  readonly admitted: StreamUsers | null
}

/** Opens what verifies the tokens of users. */
export async function openUsers({
  config,
  messaging: { kafka, codec },
  access,
  metrics,
  log,
}: UsersDeps): Promise<Users> {
  const limited = metrics.counter({
    name: 'surehook_stream_tokens_limited_total',
    help: 'Access tokens refused with 429 after too many bad ones from the client',
  })
  if (config.users === null) {
    const nothing = async () => undefined
    return { ready: nothing(), healthy: true, admitted: null, [Symbol.asyncDispose]: nothing }
  }
  await using opening = new AsyncDisposableStack()
  const tokens = opening.use(
    await openUserTokens({
      ...{ ...config.users, kafka, codec, log },
      clientId: config.kafka.clientId,
      ends: opening.use(new LogEnds(kafka, [revocationsTopic], log)),
      onLimited: () => limited.inc(),
    }),
  )
  const open = opening.move()
  return {
    ready: tokens.ready,
    get healthy() {
      return tokens.healthy
    },
    admitted: {
      access: createUserAccess({ access, users: tokens }),
      values: createUserValues(config.users),
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}
