import { askPort } from '../lib/ports.ts'
import type { Address, ContainerSpec } from './container-spec.ts'

export function redisContainer({ host, port }: Address): ContainerSpec {
  return {
    port: 6379,
    command: ['redis-server', '--save', ''],
    isReady: async (at) =>
      (await askPort(at.port, 'PING\r\n', at.host))?.toString() === '+PONG\r\n',
    readyTimeoutMs: 10_000,
    url: `redis://${host}:${port}`,
  }
}
