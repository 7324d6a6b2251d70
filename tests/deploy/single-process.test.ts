import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { render, singleValuesFile } from './chart.ts'
import { componentOf, containerOf, ofKind, selects, theOne } from './kube-objects.ts'
import { mayBeReached, mayConnect } from './network.ts'
import { environmentOf, podNamed, secretsOf } from './rendered-environment.ts'
import { readers, readSingleConfig, services } from './service-readers.ts'

const rendering = render(singleValuesFile)
const separate = render(singleValuesFile, { mode: 'separate' })
const name = 'single-process'

const dir = mkdtempSync(join(tmpdir(), 'surehook-single-'))
const pemFile = join(dir, 'any.pem')
const { ca } = await createCertificates()
writeFileSync(pemFile, ca)
afterAll(() => rmSync(dir, { recursive: true }))

/** In the cluster files are mounted. Here a certificate replaces each of them. */
const withFiles = (env: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(env).map(([variable, value]) => [
      variable,
      variable.includes('_FILE') ? pemFile : value,
    ]),
  )

/**
 * Fields that differ on purpose: addresses of the services, trusted proxies, and certificate files.
 * Each service watches all certificate files of its process.
 */
const ownToMode = [
  ...['http', 'internal', 'upstreams', 'auth', 'users', 'trustedProxies', 'certificates'],
]

/** In one process, alerts to chats and requests to issuers trust the authorities of receivers too. */
const comparable = (config: object) =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([field]) => !ownToMode.includes(field))
      .map(([field, value]) => [field, field === 'outbound' ? { ...value, extraCa: [] } : value]),
  )

describe('with mode single', () => {
  test('there is one Deployment, and the Service of the gateway leads to it', async () => {
    const objects = await rendering
    expect(ofKind(objects, 'Deployment').map(componentOf)).toEqual([name])
    const [service, ...others] = ofKind(objects, 'Service')
    expect(others).toEqual([])
    expect(service?.metadata.name).toBe('surehook-gateway')
    const selector = { matchLabels: service?.spec.selector as unknown as Record<string, string> }
    expect(selects(selector, podNamed(objects, `surehook-${name}`).labels)).toBe(true)
  })

  test.each(services)('%s reads what it would read in a pod of its own', async (service) => {
    const config = readSingleConfig(withFiles(environmentOf(await rendering, name)))
    const alone = readers[service]?.readConfig(withFiles(environmentOf(await separate, service)))
    const inside = (config.services as Record<string, object>)[service]
    expect(comparable(inside ?? {})).toEqual(comparable(alone ?? {}))
  })

  test('what the values set for one service stays with it', async () => {
    const objects = await render(singleValuesFile, {
      config: { LOG_LEVEL: null },
      services: { 'webhook-dispatcher': { config: { LOG_LEVEL: 'debug' } } },
    })
    const { services: configs } = readSingleConfig(withFiles(environmentOf(objects, name)))
    expect(configs['webhook-dispatcher']).toMatchObject({ logLevel: 'debug' })
    expect(configs.gateway).toMatchObject({ logLevel: 'info' })
  })

  test('each service has its own users', async () => {
    const secrets = secretsOf(podNamed(await rendering, `surehook-${name}`))
    expect(secrets).toMatchObject({
      DATABASE_URL_AUTH_SERVICE: 'surehook-auth-service-secrets',
      DATABASE_URL_DATA_API: 'surehook-data-api-secrets',
      DATABASE_URL_POSTGRES_SOURCE: 'surehook-postgres-source-secrets',
      DATABASE_URL_WEBHOOK_API: 'surehook-webhook-api-secrets',
      REDIS_URL_AUTH_SERVICE: 'surehook-auth-service-secrets',
      REDIS_URL_DATA_API: 'surehook-data-api-secrets',
      REDIS_URL_POSTGRES_SOURCE: 'surehook-postgres-source-secrets',
      REDIS_URL_WEBHOOK_API: 'surehook-webhook-api-secrets',
      REDIS_URL_WEBHOOK_DISPATCHER: 'surehook-webhook-dispatcher-secrets',
      KEY_ENCRYPTION_KEY: 'surehook-secrets',
    })
    expect(secrets).not.toHaveProperty('DATABASE_URL')
  })

  test('every file that a variable names is mounted', async () => {
    const objects = await rendering
    const { volumeMounts } = containerOf(theOne(objects, 'Deployment', name))
    const files = Object.entries(environmentOf(objects, name)).filter(([variable]) =>
      variable.includes('_FILE'),
    )
    expect(files.length).toBeGreaterThan(10)
    for (const [, path] of files) {
      expect(volumeMounts.filter(({ mountPath }) => path.startsWith(`${mountPath}/`))).toHaveLength(
        1,
      )
    }
  })

  test('its termination grace period exceeds its own close time', async () => {
    const objects = await rendering
    const deployment = theOne(objects, 'Deployment', name)
    const { graceMs } = readSingleConfig(withFiles(environmentOf(objects, name)))
    const preStopS = containerOf(deployment).lifecycle?.preStop.sleep.seconds ?? 0
    const graceS = deployment.spec.template?.spec.terminationGracePeriodSeconds ?? 0
    expect(preStopS).toBeGreaterThan(0)
    expect(graceS * 1_000).toBeGreaterThan(preStopS * 1_000 + graceMs)
  })

  test('it stays in service while a dependency of the pipeline is down', async () => {
    const { readinessProbe } = containerOf(theOne(await rendering, 'Deployment', name))
    expect(readinessProbe?.httpGet.path).toBe('/readyz/gateway')
  })

  test('it reaches everything that its services do, and accepts client requests', async () => {
    const objects = await rendering
    const { labels } = podNamed(objects, `surehook-${name}`)
    const there = { address: '93.184.215.14' }
    for (const [address, port] of [
      ['10.9.9.9', 5432],
      ['10.9.9.9', 6379],
      ['10.9.9.9', 9093],
      ['10.9.9.9', 8081],
      ['10.9.9.9', 465],
      ['10.20.1.1', 8443],
      ['10.30.1.1', 5432],
      ['93.184.215.14', 443],
    ] as const) {
      expect([port, mayConnect(objects, labels, { end: { address }, port })]).toEqual([port, true])
    }
    const inside = { address: '10.9.9.9' }
    expect(mayConnect(objects, labels, { end: inside, port: 22 })).toBe(false)
    expect(mayBeReached(objects, labels, { end: there, port: 8080 })).toBe(true)
    expect(mayBeReached(objects, labels, { end: there, port: 9090 })).toBe(false)
  })
})
