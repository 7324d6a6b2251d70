import { describe, expect, test } from '@jest/globals'
import { render, valuesFiles } from './chart.ts'
import { type KubeObject, podsIn } from './kube-objects.ts'
import { mayBeReached, mayConnect } from './network.ts'
import { podNamed } from './rendered-environment.ts'
import { services } from './service-readers.ts'

const labelsOf = (objects: readonly KubeObject[], service: string) =>
  podNamed(objects, `surehook-${service}`).labels

const production = render('values-production-example.yaml')
const receivers = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']
const notPublic = [
  ...['10.1.2.3', '172.20.0.1', '192.168.1.1', '100.64.0.1', '127.0.0.1', '0.0.0.0'],
  // The metadata addresses of clouds.
  '169.254.169.254',
  ...[
    'fd00:ec2::254',
    'fe80::1',
    '::1',
    'fc00::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::1',
  ],
]
/** Pairs of caller and callee. */
const calls = [
  ['gateway', 'auth-service'],
  ['gateway', 'data-api'],
  ['gateway', 'postgres-source'],
  ['gateway', 'webhook-api'],
  ['data-api', 'auth-service'],
  ['webhook-api', 'auth-service'],
]

describe.each(valuesFiles)('with %s', (file) => {
  const rendering = render(file)

  test('every pod has a policy that denies by default', async () => {
    const objects = await rendering
    const stranger = {
      labels: { app: 'stranger' },
      namespace: { 'kubernetes.io/metadata.name': 'x' },
    }
    for (const { labels } of podsIn(objects)) {
      expect(mayConnect(objects, labels, { end: stranger, port: 22 })).toBe(false)
      expect(mayBeReached(objects, labels, { end: stranger, port: 9090 })).toBe(false)
    }
  })

  test('services reach exactly those that they call, by policies at both ends', async () => {
    const objects = await rendering
    for (const from of services) {
      for (const to of services) {
        const expected = calls.some(([a, b]) => a === from && b === to)
        const [caller, called] = [labelsOf(objects, from), labelsOf(objects, to)]
        expect([
          from,
          to,
          mayConnect(objects, caller, { end: { labels: called }, port: 8080 }),
        ]).toEqual([from, to, expected])
        if (to === 'gateway') continue
        expect([
          from,
          to,
          mayBeReached(objects, called, { end: { labels: caller }, port: 8080 }),
        ]).toEqual([from, to, expected])
      }
    }
  })

  test('the dispatcher reaches only public addresses', async () => {
    const objects = await rendering
    const dispatcher = labelsOf(objects, 'webhook-dispatcher')
    const to = (address: string) => mayConnect(objects, dispatcher, { end: { address }, port: 443 })
    expect(receivers.map(to)).toEqual([true, true])
    expect(notPublic.filter(to)).toEqual([])
  })

  test('nothing else leaves the cluster', async () => {
    const objects = await rendering
    const [address = ''] = receivers
    const leaving = podsIn(objects)
      .filter(({ labels }) => mayConnect(objects, labels, { end: { address }, port: 443 }))
      .map(({ name }) => name.replace('surehook-', ''))
    expect(leaving).toEqual(['webhook-dispatcher'])
  })
})

test.each([
  ['https://api.pwnedpasswords.com/range/', 443],
  ['http://ranges.example.com:8090/range/', 8090],
])('the check for leaked passwords reaches the address of %s', async (url, port) => {
  const over = { services: { 'auth-service': { config: { AUTH_BREACH_URL: url } } } }
  const objects = await render('ci/minimal-values.yaml', over)
  const may = (address: string, to: number) =>
    mayConnect(objects, labelsOf(objects, 'auth-service'), { end: { address }, port: to })
  expect(receivers.map((address) => may(address, port))).toEqual([true, true])
  expect(notPublic.filter((address) => may(address, port))).toEqual([])
  expect(receivers.map((address) => may(address, port + 1))).toEqual([false, false])
})

describe('with values-production-example.yaml', () => {
  const kafka = {
    labels: { 'strimzi.io/cluster': 'kafka' },
    namespace: { 'kubernetes.io/metadata.name': 'kafka' },
  }

  test('each service reaches only its own stores', async () => {
    const objects = await production
    const reached = (service: string) => {
      const labels = labelsOf(objects, service)
      const may = (end: Parameters<typeof mayConnect>[2]['end'], port: number) =>
        mayConnect(objects, labels, { end, port })
      return [
        may(kafka, 9093) && 'kafka',
        may({ address: '10.100.0.9' }, 5432) && 'postgresql',
        may({ address: '10.100.1.9' }, 6380) && 'redis',
        may({ address: '198.51.100.25' }, 465) && 'smtp',
      ].filter((name) => name !== false)
    }
    expect(Object.fromEntries(services.map((service) => [service, reached(service)]))).toEqual({
      gateway: [],
      'auth-service': ['kafka', 'postgresql', 'redis', 'smtp'],
      'data-api': ['kafka', 'postgresql', 'redis'],
      'postgres-source': ['kafka', 'postgresql', 'redis'],
      'webhook-api': ['kafka', 'postgresql', 'redis'],
      'webhook-matcher': ['kafka'],
      'webhook-dispatcher': ['kafka', 'redis'],
    })
  })

  test('only the ingress controller reaches the gateway, and only Prometheus the metrics', async () => {
    const objects = await production
    const of = (name: string, labels = {}) => ({
      labels,
      namespace: { 'kubernetes.io/metadata.name': name },
    })
    const gateway = labelsOf(objects, 'gateway')
    expect(mayBeReached(objects, gateway, { end: of('ingress-nginx'), port: 8080 })).toBe(true)
    expect(mayBeReached(objects, gateway, { end: of('elsewhere'), port: 8080 })).toBe(false)
    const prometheus = of('monitoring', { 'app.kubernetes.io/name': 'prometheus' })
    for (const service of services) {
      const labels = labelsOf(objects, service)
      expect(mayBeReached(objects, labels, { end: prometheus, port: 9090 })).toBe(true)
      expect(mayBeReached(objects, labels, { end: of('monitoring'), port: 9090 })).toBe(false)
    }
  })
})

test('a network allowed for webhooks is open only to the dispatcher', async () => {
  const config = { WEBHOOK_ALLOWED_NETWORKS: '10.20.0.0/16, fd12::/64' }
  const over = { services: { 'webhook-dispatcher': { config } } }
  const objects = await render('ci/minimal-values.yaml', over)
  const may = (service: string, address: string) =>
    mayConnect(objects, labelsOf(objects, service), { end: { address }, port: 443 })
  expect(['10.20.1.1', 'fd12::1'].map((address) => may('webhook-dispatcher', address))).toEqual([
    true,
    true,
  ])
  expect(may('webhook-dispatcher', '10.21.1.1')).toBe(false)
  expect(may('auth-service', '10.20.1.1')).toBe(false)
})

test('postgres-source reaches databases at public addresses and in the allowed networks', async () => {
  const config = { SOURCE_ALLOWED_NETWORKS: '10.30.0.0/16' }
  const objects = await render('ci/minimal-values.yaml', {
    services: { 'postgres-source': { config } },
    networkPolicy: { egress: { sources: { ports: [6432] } } },
  })
  const labels = labelsOf(objects, 'postgres-source')
  const may = (address: string, port = 6432) =>
    mayConnect(objects, labels, { end: { address }, port })
  expect([...receivers, '10.30.1.1'].map((address) => may(address))).toEqual([true, true, true])
  expect([...notPublic, '10.31.1.1'].filter((address) => may(address))).toEqual([])
  expect(may('10.30.1.1', 443)).toBe(false)
})

test('the dispatcher reaches the receiver of the test', async () => {
  const objects = await render('ci/test-receiver-values.yaml')
  const [pod, dispatcher] = [labelsOf(objects, 'test'), labelsOf(objects, 'webhook-dispatcher')]
  expect(mayConnect(objects, dispatcher, { end: { labels: pod }, port: 8443 })).toBe(true)
  expect(mayBeReached(objects, pod, { end: { labels: dispatcher }, port: 8443 })).toBe(true)
  const gateway = labelsOf(objects, 'gateway')
  expect(mayConnect(objects, pod, { end: { labels: gateway }, port: 8080 })).toBe(true)
  expect(mayBeReached(objects, pod, { end: { labels: gateway }, port: 8443 })).toBe(false)
})
