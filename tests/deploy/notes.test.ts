import { expect, test } from '@jest/globals'
import { notes } from './chart.ts'

test('the notes list what is not as it should be in production', async () => {
  const said = await notes('ci/minimal-values.yaml')
  expect(said).toContain('kubectl -n surehook port-forward service/surehook-gateway 8080:8080')
  expect(said).toContain('kafka.tls.enabled is off')
  expect(said).toContain('Nobody proves to Kafka who they are')
  expect(said).toContain('networkPolicy.egress.kafka names no place')
})

test('clients behind a route are counted as one until somebody says who stands before them', async () => {
  const over = { services: { gateway: { config: { TRUSTED_PROXIES: '' } } } }
  const said = await notes('ci/gateway-api-values.yaml', over)
  expect(said).toContain('Clients reach the gateway at https://surehook.example.com')
  expect(said).toContain('services.gateway.config.TRUSTED_PROXIES is empty')
})

test('an installation with fewer copies is told what it may lose', async () => {
  const said = await notes('ci/test-receiver-values.yaml')
  expect(said).toContain(
    "kafka.replicationFactor is 1: a broker's disk or a power cut may take what was acknowledged",
  )
  expect(await notes('ci/minimal-values.yaml')).not.toContain('replicationFactor')
})

test('of the example of production there is nothing to say', async () => {
  expect(await notes('values-production-example.yaml')).not.toContain('Look at these')
})
