import { answersOk } from '../lib/http-probe.ts'
import type { Address, ContainerSpec } from './container-spec.ts'

export function registryContainer({ host, port }: Address): ContainerSpec {
  const url = `http://${host}:${port}/apis/ccompat/v7`
  return {
    port: 8080,
    env: {
      // Messages contain schema ids, which must stay the same after a restart.
      QUARKUS_DATASOURCE_JDBC_URL: 'jdbc:h2:file:/tmp/registry/schemas;WRITE_DELAY=0',
    },
    isReady: () => answersOk(`${url}/subjects`),
    readyTimeoutMs: 180_000,
    url,
  }
}
