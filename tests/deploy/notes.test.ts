import { expect, test } from '@jest/globals'
import { notes } from './chart.ts'

test('the notes list the settings that are unfit for production', async () => {
  const said = await notes('ci/minimal-values.yaml')
  expect(said).toContain('kubectl -n surehook port-forward service/surehook-gateway 8080:8080')
  expect(said).toContain('kafka.tls.enabled is off')
  expect(said).toContain('Nobody proves to Kafka who they are')
  expect(said).toContain('networkPolicy.egress.kafka names no destination')
})

test('clients behind a route count as one until trusted proxies are set', async () => {
  const over = { services: { gateway: { config: { TRUSTED_PROXIES: '' } } } }
  const said = await notes('ci/gateway-api-values.yaml', over)
  expect(said).toContain('Clients reach the gateway at https://surehook.example.com')
  expect(said).toContain('services.gateway.config.TRUSTED_PROXIES is empty')
})

test('an installation is asked for the origins of its frontends', async () => {
  expect(await notes('ci/minimal-values.yaml')).toContain(
    'services.gateway.config.CORS_ALLOWED_ORIGINS names no origin',
  )
  const over = { services: { gateway: { config: { CORS_ALLOWED_ORIGINS: '*' } } } }
  expect(await notes('ci/minimal-values.yaml', over)).not.toContain('CORS_ALLOWED_ORIGINS')
})

test('an installation with fewer copies is warned about possible losses', async () => {
  const said = await notes('ci/test-receiver-values.yaml')
  expect(said).toContain(
    "kafka.replicationFactor is 1: a broker's disk or a power cut may take what was acknowledged",
  )
  expect(await notes('ci/minimal-values.yaml')).not.toContain('replicationFactor')
})

test('the example for production causes no notes', async () => {
  expect(await notes('values-production-example.yaml')).not.toContain('Look at these')
})
