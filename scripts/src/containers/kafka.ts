import { readFile } from 'node:fs/promises'
import { repoRoot } from '../lib/paths.ts'
import { askPort } from '../lib/ports.ts'
import { apiVersionsRequest } from '../local-stack/kafka.ts'
import type { Address, ContainerSpec } from './container-spec.ts'

const port = 9092
/**
 * The port for checks inside the container, because the advertised address works only from outside.
 */
const insidePort = 29_092
const controllerPort = 9093

export async function kafkaContainer({ host, port: reachedAt }: Address): Promise<ContainerSpec> {
  const url = `${host}:${reachedAt}`
  const template = await readFile(`${repoRoot}/scripts/local-stack/kafka/server.properties`, 'utf8')
  return {
    port,
    env: {
      ...brokerEnvironment(template),
      KAFKA_LISTENERS: `PLAINTEXT://:${port},INSIDE://:${insidePort},CONTROLLER://:${controllerPort}`,
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${url},INSIDE://localhost:${insidePort}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP:
        'PLAINTEXT:PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_INTER_BROKER_LISTENER_NAME: 'INSIDE',
      KAFKA_CONTROLLER_QUORUM_VOTERS: `1@localhost:${controllerPort}`,
      KAFKA_LOG_DIRS: '/tmp/kraft-combined-logs',
      KAFKA_HEAP_OPTS: '-Xms384m -Xmx384m',
    },
    isReady: async (at) => (await askPort(at.port, apiVersionsRequest, at.host)) !== null,
    readyTimeoutMs: 180_000,
    url,
  }
}

/**
 * Converts the settings of the local broker to variables of the image. Settings with a placeholder
 * (`@PORT@`) are left out.
 */
export function brokerEnvironment(properties: string): Record<string, string> {
  const lines = properties
    .split('\n')
    .filter((line) => /^[a-z]/.test(line) && !/@[A-Z]+@/.test(line))
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', value = ''] = line.split(/=(.*)/)
      return [`KAFKA_${name.toUpperCase().replaceAll('.', '_')}`, value]
    }),
  )
}
