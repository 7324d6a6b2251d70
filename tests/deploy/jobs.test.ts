import { describe, expect, test } from '@jest/globals'
import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { postgresEnv } from '@surehook/service-kit/config/config'
import { commands } from 'surehook/commands/commands'
import { render, valuesFiles } from './chart.ts'
import { componentOf, type KubeObject, ofKind, theOne } from './kube-objects.ts'
import { mayBeReached, mayConnect } from './network.ts'
import { environmentOfPod, podNamed, secretsOf } from './rendered-environment.ts'

/** The connection variables that commands read, in addition to those in their help. */
const connections: Readonly<Record<string, object>> = {
  'prepare database': postgresEnv,
  'prepare topics': kafkaEnv,
  demo: { PLATFORM_ADMIN_TOKEN: 'the first of them' },
}

const hookOf = ({ metadata }: KubeObject) => metadata.annotations?.['helm.sh/hook']
const weightOf = ({ metadata }: KubeObject) => Number(metadata.annotations?.['helm.sh/hook-weight'])

describe.each(valuesFiles)('with %s', (file) => {
  const rendering = render(file)

  test('earlier hooks create everything that a hook needs', async () => {
    const objects = await rendering
    for (const job of ofKind(objects, 'Job')) {
      expect(hookOf(job)).toBe('pre-install,pre-upgrade')
      const { spec, labels } = podNamed(objects, job.metadata.name)
      const before = objects.filter(
        (object) => hookOf(object) === hookOf(job) && weightOf(object) < weightOf(job),
      )
      const account = before.find(
        ({ kind, metadata }) =>
          kind === 'ServiceAccount' && metadata.name === spec.serviceAccountName,
      )
      expect(account).toBeDefined()
      // During an upgrade the policy that denies everything already exists.
      const dns = {
        end: { labels: {}, namespace: { 'kubernetes.io/metadata.name': 'kube-system' } },
        port: 53,
      }
      const policies = before.filter(({ kind }) => kind === 'NetworkPolicy')
      expect(policies).toHaveLength(1)
      if (file.startsWith('ci/'))
        expect(mayConnect(policies, labels, { ...dns, protocol: 'UDP' })).toBe(true)
      expect(spec.containers[0]?.envFrom).toBeUndefined()
    }
  })

  test('the jobs and the test run existing commands', async () => {
    for (const { spec } of await pods(rendering)) {
      const args = spec.containers[0]?.args ?? []
      const command = commands.find(({ name }) => `${args.join(' ')} `.startsWith(`${name} `))
      expect(command).toBeDefined()
      const words = command?.name.split(' ').length ?? 0
      const options = args.slice(words).filter((arg) => arg.startsWith('--'))
      for (const option of options) expect(command?.options).toHaveProperty(option.slice(2))
    }
  })

  test('which know the variables they get', async () => {
    const objects = await rendering
    for (const { name, spec } of await pods(rendering)) {
      const args = `${spec.containers[0]?.args?.join(' ')} `
      const command = commands.find((one) => args.startsWith(`${one.name} `))
      const named = Object.keys(command?.variables ?? {}).flatMap((names) => names.split(', '))
      const read = command === undefined ? {} : (connections[command.name] ?? {})
      const known = [...named, ...Object.keys(read)]
      const variables = Object.keys(environmentOfPod(objects, name))
      expect(variables.filter((variable) => ![...known, 'LOG_LEVEL'].includes(variable))).toEqual(
        [],
      )
    }
  })
})

async function pods(rendering: Promise<KubeObject[]>) {
  const objects = await rendering
  const named = [...ofKind(objects, 'Job'), ...ofKind(objects, 'Pod')]
  return named.map(({ metadata }) => podNamed(objects, metadata.name))
}

test("one job has the database administrator's credentials, the other those for topics", async () => {
  const objects = await render('ci/minimal-values.yaml', {
    kafka: { sasl: { mechanism: 'scram-sha-256' } },
  })
  expect(secretsOf(podNamed(objects, 'surehook-prepare-database'))).toEqual({
    DATABASE_URL: 'surehook-operator-secrets',
    HISTORY_DATABASE_URL: 'surehook-operator-secrets',
    DATABASE_PASSWORD_AUTH_SERVICE: 'surehook-operator-secrets',
    DATABASE_PASSWORD_DATA_API: 'surehook-operator-secrets',
    DATABASE_PASSWORD_POSTGRES_SOURCE: 'surehook-operator-secrets',
    DATABASE_PASSWORD_WEBHOOK_API: 'surehook-operator-secrets',
  })
  expect(secretsOf(podNamed(objects, 'surehook-prepare-topics'))).toEqual({
    KAFKA_SASL_PASSWORD: 'surehook-operator-secrets',
  })
})

test('no job makes topics if Strimzi does', async () => {
  const names = ofKind(await render('ci/keda-values.yaml'), 'Job').map(
    ({ metadata }) => metadata.name,
  )
  expect(names).toEqual(['surehook-prepare-database'])
})

test('the toolbox exists while it is enabled, and reaches everything', async () => {
  const file = 'values-production-example.yaml'
  const without = await render(file)
  expect(ofKind(without, 'Deployment').map(componentOf)).not.toContain('toolbox')
  const objects = await render(file, { operator: { toolbox: { enabled: true } } })
  const pod = podNamed(objects, 'surehook-toolbox')
  expect(secretsOf(pod)).toEqual({
    DATABASE_URL: 'surehook-operator-secrets',
    HISTORY_DATABASE_URL: 'surehook-operator-secrets',
    DATABASE_PASSWORD_AUTH_SERVICE: 'surehook-operator-secrets',
    DATABASE_PASSWORD_DATA_API: 'surehook-operator-secrets',
    DATABASE_PASSWORD_POSTGRES_SOURCE: 'surehook-operator-secrets',
    DATABASE_PASSWORD_WEBHOOK_API: 'surehook-operator-secrets',
    KAFKA_SASL_PASSWORD: 'surehook-operator-secrets',
    SCHEMA_REGISTRY_PASSWORD: 'surehook-secrets',
    SUREHOOK_ADMIN_TOKEN: 'surehook-secrets',
  })
  expect(pod.spec).toMatchObject({ automountServiceAccountToken: false, restartPolicy: 'Always' })
  const { labels } = theOne(objects, 'Deployment', 'gateway').spec.template?.metadata ?? {}
  const gateway = { labels: labels ?? {} }
  const postgres = { address: '10.100.0.7' }
  expect(mayConnect(objects, pod.labels, { end: gateway, port: 8080 })).toBe(true)
  expect(mayBeReached(objects, gateway.labels, { end: pod, port: 8080 })).toBe(true)
  expect(mayConnect(objects, pod.labels, { end: postgres, port: 5432 })).toBe(true)
  expect(mayConnect(objects, pod.labels, { end: { address: '8.8.8.8' }, port: 443 })).toBe(false)
})
