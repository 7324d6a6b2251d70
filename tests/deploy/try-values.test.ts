import { expect, it } from '@jest/globals'
import { newChartSecrets, secretManifests } from 'surehook/prepare/chart-secrets'
import { namespace, render } from './chart.ts'
import { podsIn } from './kube-objects.ts'

it('reads only what `surehook prepare secrets` makes', async () => {
  const secrets = newChartSecrets({
    databaseUrl: 'postgres://postgres:try@servers.surehook-servers.svc:5432/surehook',
    redisUrl: 'redis://servers.surehook-servers.svc:6379',
    smtpUrl: 'smtp://localhost:25',
  })
  const made = secretManifests(secrets, { release: 'surehook', namespace }).flatMap(
    ({ metadata, stringData }) => Object.keys(stringData).map((key) => `${metadata.name}/${key}`),
  )
  const read = podsIn(await render('values-try.yaml')).flatMap(({ spec }) =>
    spec.containers.flatMap(({ env = [] }) =>
      env.flatMap(({ valueFrom }) => {
        const ref = valueFrom?.secretKeyRef
        return ref === undefined || ref.optional === true ? [] : [`${ref.name}/${ref.key}`]
      }),
    ),
  )
  expect(read.length).toBeGreaterThan(0)
  expect(made).toEqual(expect.arrayContaining(read))
})
