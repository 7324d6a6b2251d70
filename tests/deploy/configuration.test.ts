import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { chartDir } from '@surehook/scripts/deploy/helm-tools'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { createCertificates } from '@surehook/scripts/receiver/certificates'
import { databaseServices } from '@surehook/scripts/system/service-catalog'
import { environmentOf as localEnvironmentOf } from '@surehook/scripts/system/service-environment'
import { certificateEnv } from '@surehook/service-kit/config/certificates'
import { render, valuesFiles } from './chart.ts'
import { componentOf, ofKind } from './kube-objects.ts'
import { environmentOf, podNamed, secretsOf } from './rendered-environment.ts'
import { readers, services, variablesOf } from './service-readers.ts'

const dir = mkdtempSync(join(tmpdir(), 'surehook-chart-'))
const pemFile = join(dir, 'any.pem')
const { ca } = await createCertificates()
writeFileSync(pemFile, ca)
afterAll(() => rmSync(dir, { recursive: true }))

/** In the cluster files are mounted. Here a certificate replaces each of them. */
function withFiles(env: Record<string, string>): Record<string, string> {
  const here = Object.entries(env).map(([name, value]) => [
    name,
    name.endsWith('_FILE') ? pemFile : value,
  ])
  return Object.fromEntries(here)
}

describe.each(valuesFiles)('with %s', (file) => {
  const rendering = render(file)

  test('there is a Deployment for each service and no other', async () => {
    const deployments = ofKind(await rendering, 'Deployment').map(componentOf)
    expect(deployments.toSorted()).toEqual(services.toSorted())
  })

  test.each(services)('%s knows every variable and misses none', async (service) => {
    const env = environmentOf(await rendering, service)
    const known = variablesOf(service)
    expect(Object.keys(env).filter((name) => !known.includes(name))).toEqual([])
    expect(() => readers[service]?.readConfig(withFiles(env))).not.toThrow()
  })

  test('every file that a variable names is mounted', async () => {
    const objects = await rendering
    for (const service of services) {
      const mounts = podNamed(objects, `surehook-${service}`).spec.containers[0]?.volumeMounts ?? []
      const files = Object.entries(environmentOf(objects, service))
        .filter(([name]) => name.endsWith('_FILE'))
        .map(([, path]) => path)
      for (const path of files) {
        expect(mounts.filter(({ mountPath }) => path.startsWith(`${mountPath}/`))).toHaveLength(1)
      }
    }
  })

  test('a pod is replaced when its configuration changes', async () => {
    const sums = (objects: Awaited<ReturnType<typeof render>>) =>
      ofKind(objects, 'Deployment').map(
        ({ spec }) => spec.template?.metadata.annotations?.['checksum/config'],
      )
    const changed = sums(await render(file, { config: { LOG_LEVEL: 'debug' } }))
    const before = sums(await rendering)
    expect(new Set(before).size).toBe(services.length)
    expect(before.filter((sum) => changed.includes(sum))).toEqual([])
  })
})

describe('secrets', () => {
  test('no values file makes a Secret, and no ConfigMap contains a secret', async () => {
    for (const file of valuesFiles) {
      const objects = await render(file)
      expect(ofKind(objects, 'Secret')).toEqual([])
      const names = ofKind(objects, 'ConfigMap').flatMap(({ data }) => Object.keys(data ?? {}))
      expect(
        names.filter((name) => /PASSWORD|TOKEN|^(DATABASE|REDIS|SMTP)_URL/.test(name)),
      ).toEqual([])
    }
  })

  test.each(services)('%s gets the secrets that it gets on one machine', async (service) => {
    const objects = await render('ci/minimal-values.yaml')
    const given = Object.keys(secretsOf(podNamed(objects, `surehook-${service}`)))
    const local = localEnvironmentOf(
      service as Parameters<typeof localEnvironmentOf>[0],
      { api: 1, internal: 2 },
      {
        endpoints: { databaseUrl: 'a', kafkaBrokers: 'b', schemaRegistryUrl: 'c', redisUrl: 'd' },
        secrets: { adminToken: 'e', keyEncryptionKey: 'f', serviceToken: 'g' },
        databaseUrls: Object.fromEntries(databaseServices.map((name) => [name, 'h'])),
        addresses: {},
        overrides: {},
      },
    )
    const secret =
      /^(DATABASE_URL|REDIS_URL|SMTP_URL|KEY_ENCRYPTION_KEY|SERVICE_TOKEN|PLATFORM_.*)$/
    const expected = Object.keys(local).filter((name) => secret.test(name))
    const optional = ['KEY_ENCRYPTION_KEY_PREVIOUS', 'HISTORY_DATABASE_URL']
    expect(given.filter((name) => !optional.includes(name)).toSorted()).toEqual(expected.toSorted())
  })

  test("each comes from the shared Secret or from the service's own", async () => {
    const objects = await render('ci/minimal-values.yaml')
    expect(secretsOf(podNamed(objects, 'surehook-auth-service'))).toEqual({
      DATABASE_URL: 'surehook-auth-service-secrets',
      KEY_ENCRYPTION_KEY: 'surehook-secrets',
      KEY_ENCRYPTION_KEY_PREVIOUS: 'surehook-secrets',
      PLATFORM_ADMIN_TOKEN: 'surehook-secrets',
      REDIS_URL: 'surehook-auth-service-secrets',
      SERVICE_TOKEN: 'surehook-secrets',
      SMTP_URL: 'surehook-secrets',
    })
  })

  test('a variable of a service can come from a Secret instead', async () => {
    const ref = { name: 'confluent', key: 'api-key' }
    const over = { services: { 'data-api': { secretRefs: { KAFKA_SASL_USERNAME: ref } } } }
    const objects = await render('ci/keda-values.yaml', over)
    const map = objects.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'surehook-data-api',
    )
    expect(map?.data).not.toHaveProperty('KAFKA_SASL_USERNAME')
    expect(secretsOf(podNamed(objects, 'surehook-data-api'))['KAFKA_SASL_USERNAME']).toBe(
      'confluent',
    )
  })
})

test('the chart has the version of the project', async () => {
  const read = (file: string) => readFile(`${repoRoot}/${file}`, 'utf8')
  const { version } = JSON.parse(await read('package.json')) as { version: string }
  const chart = await read('deploy/helm/surehook/Chart.yaml')
  expect(chart).toContain(`\nversion: ${version}\nappVersion: "${version}"\n`)
})

describe('the schema of the values', () => {
  type Schema = { properties: Record<string, Schema> }
  const settable = async () => {
    const schema = JSON.parse(await readFile(`${chartDir}/values.schema.json`, 'utf8')) as Schema
    const own = schema.properties['services']?.properties ?? {}
    const shared = Object.keys(schema.properties['config']?.properties ?? {})
    return { own, shared }
  }

  /** Only `npm start` has a test receiver. */
  const onLaptops = 'CONSOLE_TEST_RECEIVER'

  test.each(services)('names the variables of %s and no others', async (service) => {
    const { own, shared } = await settable()
    const known = variablesOf(service)
    const named = ['config', 'secretRefs'].flatMap((part) =>
      Object.keys(own[service]?.properties[part]?.properties ?? {}),
    )
    expect(named.filter((name) => !known.includes(name))).toEqual([])
    const full = environmentOf(await render('values-production-example.yaml'), service)
    // The variables for a certificate instead of a password. Each service watches all certificate
    // files, including unused ones.
    const elsewhere = ['KAFKA_KEY_FILE', ...Object.keys(certificateEnv), onLaptops]
    const reachable = [...named, ...shared, ...Object.keys(full), ...elsewhere]
    expect(known.filter((name) => !reachable.includes(name))).toEqual([])
  })

  test.each([
    ['an unknown value', { kafka: { broker: ['a:1'] } }, /kafka.*broker/s],
    ['an unknown service', { services: { 'web-api': {} } }, /services.*web-api/s],
    [
      'a variable of another service',
      { services: { gateway: { config: { WEBHOOK_TIMEOUT: '5s' } } } },
      /gateway/,
    ],
    [
      'a secret as a value',
      { services: { 'data-api': { config: { DATABASE_URL: 'postgres://' } } } },
      /DATABASE_URL/,
    ],
    ['a broker without a port', { kafka: { brokers: ['kafka'] } }, /brokers/],
    [
      'one replica of what scales',
      { services: { gateway: { autoscaling: { minReplicas: 1 } } } },
      /minReplicas/,
    ],
    [
      'a duration that is none',
      { services: { 'webhook-dispatcher': { config: { WEBHOOK_TIMEOUT: '5' } } } },
      /WEBHOOK_TIMEOUT/,
    ],
    [
      'both kinds of monitors',
      { monitoring: { podMonitor: { enabled: true }, serviceMonitor: { enabled: true } } },
      /monitoring|not/,
    ],
    ['no address for clients', { config: { PUBLIC_URL: '' } }, /PUBLIC_URL/],
    ['no brokers', { kafka: { brokers: [] } }, /kafka.brokers/],
    [
      'fewer copies of topics than survive a power cut',
      { kafka: { replicationFactor: 2 } },
      /replicationFactor is 2: .*min.insync.replicas to 2.*kafka.allowFewerCopies/,
    ],
    [
      'more consumers than partitions',
      { services: { 'webhook-matcher': { autoscaling: { maxReplicas: 9 } } } },
      /9 replicas.*8/s,
    ],
    [
      'a receiver that nobody trusts',
      { tests: { receiver: { enabled: true, tlsSecret: 'a' } } },
      /extraCa/,
    ],
  ])('refuses %s', async (_what, over, message) => {
    await expect(render('ci/minimal-values.yaml', over)).rejects.toThrow(message)
  })
})
