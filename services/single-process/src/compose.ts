import { compose as openAuthService } from '@surehook/auth-service/compose'
import { compose as openDataApi } from '@surehook/data-api/compose'
import { compose as openGateway } from '@surehook/gateway/compose'
import { compose as openPostgresSource } from '@surehook/postgres-source/compose'
import type { Service } from '@surehook/service-kit/lifecycle'
import type { Logger } from '@surehook/service-kit/telemetry/log'
import { compose as openWebhookApi } from '@surehook/webhook-api/compose'
import { compose as openDispatcher } from '@surehook/webhook-dispatcher/compose'
import { compose as openMatcher } from '@surehook/webhook-matcher/compose'
import { CloseTogether } from './close-together.ts'
import { type Config, processName } from './config.ts'
import type { ServiceName } from './environments.ts'
import { openSharedHost } from './shared-host.ts'

export type Logs = (name: ServiceName | typeof processName) => Logger

/**
 * Opens all services. The gateway opens last and closes first, so that its requests always find
 * the other services. Those need each other only for requests, so they close at the same time. If a
 * service fails, the process ends, and its supervisor restarts all of them.
 */
export async function compose(config: Config, logs: Logs, signal: AbortSignal): Promise<Service> {
  await using opening = new AsyncDisposableStack()
  const { internal, services: configs } = config
  const host = opening.use(
    await openSharedHost({
      name: processName,
      internal,
      bodyLimitBytes: configs.gateway.bodyLimitBytes,
      log: logs(processName),
    }),
  )
  const behind = opening.use(new CloseTogether())
  /** The arguments of each `compose` after its configuration. */
  const parts = (name: ServiceName) => [logs(name), signal, host.of(name)] as const
  const auth = behind.use(await openAuthService(configs['auth-service'], ...parts('auth-service')))
  const url = `http://127.0.0.1:${auth.ports.api}`
  const webhookConfig = configs['webhook-api']
  const users = webhookConfig.users && { ...webhookConfig.users, url }
  const webhooks = behind.use(
    await openWebhookApi({ ...webhookConfig, users }, ...parts('webhook-api')),
  )
  const dataConfig = configs['data-api']
  const data = behind.use(
    await openDataApi({ ...dataConfig, auth: { ...dataConfig.auth, url } }, ...parts('data-api')),
  )
  const sources = behind.use(
    await openPostgresSource(configs['postgres-source'], ...parts('postgres-source')),
  )
  const matcher = behind.use(
    await openMatcher(configs['webhook-matcher'], ...parts('webhook-matcher')),
  )
  const dispatcher = behind.use(
    await openDispatcher(configs['webhook-dispatcher'], ...parts('webhook-dispatcher')),
  )
  const upstreams = {
    auth: host.apiOf('auth-service'),
    data: host.apiOf('data-api'),
    sources: host.apiOf('postgres-source'),
    webhooks: host.apiOf('webhook-api'),
  }
  const gateway = opening.use(
    await openGateway({ ...configs.gateway, upstreams }, logs('gateway'), {}, host.of('gateway')),
  )
  const resources = opening.move()
  return {
    async start(stopping) {
      const all = [auth, webhooks, data, sources, matcher, dispatcher, gateway]
      await Promise.all(all.map((service) => service.start(stopping)))
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
