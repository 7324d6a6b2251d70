import type { ComponentName } from '../local-stack/component.ts'

export const images: Readonly<Record<ComponentName, string>> = {
  kafka: 'apache/kafka:4.1.1',
  registry: 'apicurio/apicurio-registry-mem:2.6.13.Final',
  postgres: 'postgres:17',
  redis: 'redis:8',
}
