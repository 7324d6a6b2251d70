import { describe, expect, test } from '@jest/globals'
import { render, valuesFiles } from './chart.ts'
import { componentOf, containerOf, ofKind, podsIn, selects, theOne } from './kube-objects.ts'
import { environmentOf } from './rendered-environment.ts'
import { dispatcherGraceMs, services } from './service-readers.ts'

/** The default grace period of `runService`. */
const usualGraceMs = 10_000

describe.each(valuesFiles)('with %s', (file) => {
  const rendering = render(file)

  test('every pod satisfies Pod Security "restricted"', async () => {
    const pods = podsIn(await rendering)
    expect(pods.length).toBeGreaterThanOrEqual(services.length + 1)
    for (const { spec } of pods) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect([spec.hostNetwork, spec.hostPID, spec.hostIPC, spec.initContainers]).toEqual(
        Array(4).fill(undefined),
      )
      for (const { securityContext } of spec.containers) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(securityContext).not.toHaveProperty('capabilities.add')
        expect(securityContext['runAsUser']).toBeGreaterThan(0)
      }
      for (const volume of spec.volumes) {
        expect(Object.keys(volume)).toContainEqual(
          expect.stringMatching(/^(emptyDir|secret|configMap)$/),
        )
      }
    }
  })

  test('the only writable folder is /tmp, and its size is limited', async () => {
    for (const { spec } of podsIn(await rendering)) {
      for (const { volumeMounts } of spec.containers) {
        const writable = volumeMounts.filter(({ readOnly }) => readOnly !== true)
        expect(writable).toEqual([{ name: 'tmp', mountPath: '/tmp' }])
      }
      expect(spec.volumes).toContainEqual({ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } })
    }
  })

  test('every pod has the service account of its component, without a token', async () => {
    const objects = await rendering
    for (const { spec } of podsIn(objects)) {
      const account = ofKind(objects, 'ServiceAccount').find(
        ({ metadata }) => metadata.name === spec.serviceAccountName,
      )
      expect(account?.automountServiceAccountToken).toBe(false)
    }
  })

  test('every container has requests and limits', async () => {
    for (const { spec } of podsIn(await rendering)) {
      for (const { resources } of spec.containers) {
        for (const part of ['requests', 'limits'] as const) {
          expect(Object.keys(resources[part]).toSorted()).toEqual([
            'cpu',
            'ephemeral-storage',
            'memory',
          ])
        }
      }
    }
  })

  test.each(services)('%s is asked on its internal port how it is', async (service) => {
    const container = containerOf(theOne(await rendering, 'Deployment', service))
    const at = (path: string) => ({ httpGet: { path, port: 'internal' } })
    expect(container).toMatchObject({
      startupProbe: at('/healthz'),
      livenessProbe: at('/healthz'),
      readinessProbe: at('/readyz'),
    })
    const internal = container.ports?.find(({ name }) => name === 'internal')?.containerPort
    expect(environmentOf(await rendering, service)['INTERNAL_PORT']).toBe(String(internal))
  })

  test.each(services)(
    '%s is replaced without a gap and with time to hand over',
    async (service) => {
      const objects = await rendering
      const deployment = theOne(objects, 'Deployment', service)
      expect(deployment.spec.strategy).toMatchObject({
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 0 },
      })
      const container = containerOf(deployment)
      const preStopS = container.lifecycle?.preStop.sleep.seconds ?? 0
      const hasApi = container.ports?.some(({ name }) => name === 'http')
      expect(preStopS > 0).toBe(hasApi)
      const graceS = deployment.spec.template?.spec.terminationGracePeriodSeconds ?? 0
      const { WEBHOOK_TIMEOUT = '5s' } = environmentOf(objects, service)
      const ownMs = service === 'webhook-dispatcher' ? graceOf(WEBHOOK_TIMEOUT) : usualGraceMs
      expect(graceS * 1_000).toBeGreaterThan(preStopS * 1_000 + ownMs)
    },
  )

  test.each(services)('%s is spread, and not evicted as a whole', async (service) => {
    const objects = await rendering
    const deployment = theOne(objects, 'Deployment', service)
    const { metadata, spec } = deployment.spec.template ?? {}
    const labels = metadata?.labels ?? {}
    const spread = spec?.topologySpreadConstraints ?? []
    expect(spread.map(({ topologyKey }) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ])
    for (const { labelSelector } of spread) expect(selects(labelSelector, labels)).toBe(true)
    const budget = theOne(objects, 'PodDisruptionBudget', service).spec
    expect(budget).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' })
    expect(selects(budget.selector ?? { matchLabels: {} }, labels)).toBe(true)
  })

  test('a Service leads to the port of each API, and to no pod of another component', async () => {
    const objects = await rendering
    const pods = podsIn(objects)
    const of = ofKind(objects, 'Service').filter(({ spec }) =>
      spec.ports?.some(({ name }) => name === 'http'),
    )
    expect(of.map(componentOf).toSorted()).toEqual([
      'auth-service',
      'data-api',
      'gateway',
      'postgres-source',
      'webhook-api',
    ])
    for (const service of of) {
      const selector = { matchLabels: service.spec.selector as unknown as Record<string, string> }
      const led = pods.filter(({ labels }) => selects(selector, labels)).map(({ name }) => name)
      expect(led).toEqual([service.metadata.name])
      expect(service.spec.ports?.[0]?.targetPort).toBe('http')
    }
  })
})

function graceOf(timeout: string): number {
  return dispatcherGraceMs({
    INTERNAL_PORT: '1',
    KAFKA_BROKERS: 'a:1',
    SCHEMA_REGISTRY_URL: 'http://a',
    REDIS_URL: 'redis://a',
    KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    WEBHOOK_TIMEOUT: timeout,
  })
}

test('a longer attempt timeout of the dispatcher extends the grace period', async () => {
  const timeout = '45s'
  const over = { services: { 'webhook-dispatcher': { config: { WEBHOOK_TIMEOUT: timeout } } } }
  const { spec } = theOne(
    await render('ci/minimal-values.yaml', over),
    'Deployment',
    'webhook-dispatcher',
  )
  const graceS = spec.template?.spec.terminationGracePeriodSeconds ?? 0
  expect(graceS * 1_000).toBeGreaterThan(graceOf(timeout))
})

test('images use the registry, a tag or a digest', async () => {
  const digest = `sha256:${'a'.repeat(64)}`
  const over = {
    image: { registry: 'registry.example.com', tag: '1.2.3' },
    services: { gateway: { image: { digest } }, 'data-api': { image: { tag: '1.2.4' } } },
  }
  const objects = await render('ci/minimal-values.yaml', over)
  const imageOf = (service: string) => containerOf(theOne(objects, 'Deployment', service)).image
  expect(imageOf('gateway')).toBe(`registry.example.com/surehook/gateway@${digest}`)
  expect(imageOf('data-api')).toBe('registry.example.com/surehook/data-api:1.2.4')
  expect(imageOf('webhook-api')).toBe('registry.example.com/surehook/webhook-api:1.2.3')
})
