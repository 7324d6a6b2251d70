import { describe, expect, test } from '@jest/globals'
import { kafkaAclsOf, lastingGroups } from '@surehook/contracts/access/kafka-access'
import { topicTable } from '@surehook/contracts/topics'
import { render, valuesFiles } from './chart.ts'
import { componentOf, ofKind, theOne } from './kube-objects.ts'
import { environmentOf } from './rendered-environment.ts'
import { services } from './service-readers.ts'

describe.each(valuesFiles)('with %s', (file) => {
  const rendering = render(file)

  test('one autoscaler decides on the replicas of a service, and keeps two of them', async () => {
    const objects = await rendering
    for (const service of services) {
      const target = `surehook-${service}`
      const scalers = ['HorizontalPodAutoscaler', 'ScaledObject'].flatMap((kind) =>
        ofKind(objects, kind).filter(({ spec }) => spec.scaleTargetRef?.name === target),
      )
      const { replicas } = theOne(objects, 'Deployment', service).spec
      const least = scalers.map(({ spec }) => spec.minReplicas ?? spec.minReplicaCount ?? 0)
      const deciding = [...least, ...(replicas === undefined ? [] : [replicas])]
      expect(deciding).toHaveLength(1)
      expect(deciding[0]).toBeGreaterThanOrEqual(2)
    }
  })

  test('no more members of a group than partitions', async () => {
    const objects = await rendering
    const scalers = [
      ...ofKind(objects, 'HorizontalPodAutoscaler'),
      ...ofKind(objects, 'ScaledObject'),
    ]
    for (const service of ['webhook-matcher', 'webhook-dispatcher']) {
      const { spec } = scalers.find((scaler) => componentOf(scaler) === service) ?? {}
      const most = spec?.maxReplicas ?? spec?.maxReplicaCount ?? 0
      const { KAFKA_PARTITIONS } = environmentOf(objects, service)
      expect(most).toBeGreaterThan(0)
      expect(most).toBeLessThanOrEqual(Number(KAFKA_PARTITIONS))
    }
  })
})

describe('KEDA', () => {
  const rendering = render('ci/keda-values.yaml')

  test('queries the lag of existing groups and topics', async () => {
    const triggers = ofKind(await rendering, 'ScaledObject').flatMap(
      ({ spec }) => spec.triggers ?? [],
    )
    const kafka = triggers.filter(({ type }) => type === 'kafka').map(({ metadata }) => metadata)
    const names = topicTable([]).map(({ name }) => name)
    for (const { consumerGroup = '', topic = '' } of kafka) {
      const groups: Readonly<Record<string, readonly string[]>> = lastingGroups
      expect(groups[consumerGroup]).toContain(topic)
      expect(names).toContain(topic)
    }
    const asked = new Set(kafka.map(({ consumerGroup }) => consumerGroup))
    expect([...asked].toSorted()).toEqual(Object.keys(lastingGroups).toSorted())
  })

  test('may read exactly that: the groups, as the user lag-reader', async () => {
    const groups = kafkaAclsOf('lag-reader').flatMap(({ resource }) =>
      resource.type === 'group' ? [resource.name] : [],
    )
    expect(groups.toSorted()).toEqual(Object.keys(lastingGroups).toSorted())
    const objects = await rendering
    expect(ofKind(objects, 'TriggerAuthentication')).toMatchObject([
      {
        spec: {
          secretTargetRef: [
            { parameter: 'username', name: 'surehook-lag-reader-secrets' },
            { parameter: 'password', name: 'surehook-lag-reader-secrets' },
            { parameter: 'ca', name: 'kafka-cluster-ca-cert', key: 'ca.crt' },
          ],
        },
      },
    ])
    for (const { spec } of ofKind(objects, 'ScaledObject')) {
      for (const { metadata, authenticationRef } of spec.triggers?.filter(
        ({ type }) => type === 'kafka',
      ) ?? []) {
        expect(metadata).toMatchObject({ tls: 'enable', sasl: 'scram_sha512' })
        expect(authenticationRef).toEqual({ name: 'surehook-kafka-lag' })
      }
    }
  })

  test('takes over the autoscaler of an installation without KEDA', async () => {
    for (const { metadata } of ofKind(await rendering, 'ScaledObject')) {
      expect(metadata).toMatchObject({
        annotations: { 'scaledobject.keda.sh/transfer-hpa-ownership': 'true' },
      })
    }
  })

  test('trusts an authority in a ConfigMap', async () => {
    const ca = { existingConfigMap: 'private-authority', existingSecret: '', key: 'authority.pem' }
    const over = { kafka: { tls: { enabled: true, ca } } }
    const objects = await render('ci/keda-values.yaml', over)
    const [authentication] = ofKind(objects, 'TriggerAuthentication')
    expect(authentication?.spec).toMatchObject({
      configMapTargetRef: [{ parameter: 'ca', name: 'private-authority', key: 'authority.pem' }],
      secretTargetRef: [{ parameter: 'username' }, { parameter: 'password' }],
    })
  })

  test('leaves the services without a group to their own scaler', async () => {
    const objects = await rendering
    expect(ofKind(objects, 'HorizontalPodAutoscaler').map(componentOf).toSorted()).toEqual([
      'auth-service',
      'data-api',
      'gateway',
      'postgres-source',
    ])
  })
})
