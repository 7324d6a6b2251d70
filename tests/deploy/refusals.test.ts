import { describe, expect, test } from '@jest/globals'
import { render } from './chart.ts'
import { environmentOf } from './rendered-environment.ts'
import { readers } from './service-readers.ts'

const file = 'ci/minimal-values.yaml'

describe('settings that services refuse are refused before anything is installed:', () => {
  test.each([
    [
      'an authority of Kafka without TLS',
      { kafka: { tls: { ca: { existingSecret: 'a' } } } },
      'kafka.tls.ca requires kafka.tls.enabled',
    ],
    [
      'an authority of Kafka from a ConfigMap, without TLS',
      { kafka: { tls: { ca: { existingConfigMap: 'a' } } } },
      'kafka.tls.ca requires kafka.tls.enabled',
    ],
    [
      'a certificate for Kafka without TLS',
      { kafka: { tls: { clientCertificate: { enabled: true } } } },
      'kafka.tls.clientCertificate requires kafka.tls.enabled',
    ],
    [
      'an authority of a registry without TLS',
      { schemaRegistry: { url: 'http://registry:8081', ca: { existingSecret: 'a' } } },
      'schemaRegistry.ca requires an https schemaRegistry.url',
    ],
    [
      'a retry that waits for too long',
      { config: { WEBHOOK_RETRY_DELAYS: '1s,8d' } },
      'config.WEBHOOK_RETRY_DELAYS: "8d" must be 10ms to 7d',
    ],
    [
      'a ladder without a delay of the schedule',
      { config: { WEBHOOK_RETRY_LADDER: '1s,5s,5m' } },
      'config.WEBHOOK_RETRY_LADDER must have 30s of config.WEBHOOK_RETRY_DELAYS',
    ],
  ])('%s', async (_what, over, message) => {
    await expect(render(file, over)).rejects.toThrow(message)
  })

  test.each([
    ['auth-service', 'AUTH_KEY_LEAD', ['299s', '8d'], ['5m', '7d']],
    ['webhook-api', 'WEBHOOK_DISABLE_AFTER', ['99ms', '366d'], ['0', '365d']],
    ['webhook-dispatcher', 'WEBHOOK_TIMEOUT', ['99ms', '61s', '2m'], ['100ms', '60s', '1m']],
    ['webhook-dispatcher', 'WEBHOOK_CIRCUIT_COOLDOWN', ['0s', '25h'], ['100ms', '24h', '1d']],
    [
      'webhook-dispatcher',
      'WEBHOOK_ALLOWED_NETWORKS',
      ['10.0.0.1', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/8,::1', '10.0.0.0/8/8'],
      ['10.0.0.0/8', ' 10.20.0.0/16 , fd12::/64,', '::ffff:10.0.0.0/104', '::1/128,0.0.0.0/0'],
    ],
  ])('%s: %s is accepted like by the service', async (service, name, refused, taken) => {
    const over = (value: string) => ({ services: { [service]: { config: { [name]: value } } } })
    const read = (env: Record<string, string>) => readers[service]?.readConfig(env)
    const env = environmentOf(await render(file), service)
    for (const value of refused) {
      expect(() => read({ ...env, [name]: value })).toThrow(name)
      await expect(render(file, over(value))).rejects.toThrow(name)
    }
    for (const value of taken) {
      const given = environmentOf(await render(file, over(value)), service)
      expect(given[name]).toBe(value)
      expect(() => read(given)).not.toThrow()
    }
  })
})

describe('an image whose name may belong to others', () => {
  test.each([
    ['pulled each time', { registry: '' }],
    ['of a path without a host', { registry: '', repository: 'team/surehook' }],
  ])('is refused: %s', async (_what, image) => {
    await expect(render(file, { image })).rejects.toThrow(/image.registry: .* Docker Hub/)
  })

  test('is refused for one service too', async () => {
    const over = { image: { registry: '', repository: 'registry.example.com/surehook' } }
    const services = { 'data-api': { image: { repository: 'surehook/data-api' } } }
    await expect(render(file, over)).resolves.toBeDefined()
    await expect(render(file, { ...over, services })).rejects.toThrow(/image.registry: /)
  })

  test.each([
    ['of Docker Hub, on purpose', { registry: 'docker.io' }],
    ['of a registry with a port', { registry: '', repository: 'registry:5000/surehook' }],
    ['that is on the nodes', { registry: '', pullPolicy: 'IfNotPresent' }],
  ])('is accepted if the name is unambiguous: %s', async (_what, image) => {
    await expect(render(file, { image })).resolves.toBeDefined()
  })
})
