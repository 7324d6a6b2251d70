import { postgresEnv, readEnv } from '@surehook/service-kit/config/config'
import { stringify } from 'yaml'
import * as z from 'zod'
import { defineCommand, exitCodes, Failure } from '../cli/command.ts'
import { newChartSecrets, secretManifests } from '../prepare/chart-secrets.ts'
import { kubectl } from '../prepare/kubectl.ts'

const Variables = z.object({
  DATABASE_URL: postgresEnv.DATABASE_URL,
  REDIS_URL: z.string().min(1),
  SMTP_URL: z.string().min(1),
  SCHEMA_REGISTRY_PASSWORD: z.string().optional(),
})

export const prepareSecretsCommand = defineCommand({
  name: 'prepare secrets',
  summary: 'Make the Secrets of the chart, and print or create them',
  details: [
    'Each call makes new random secrets. They exist nowhere else: copy them to your vault. The command replaces no',
    'Secret, because a system cannot read its data with another KEY_ENCRYPTION_KEY.',
    'Users of Kafka have passwords of their own: see docs/operate/kubernetes.md.',
  ].join('\n'),
  examples: ['prepare secrets > secrets.yaml', 'prepare secrets --apply'],
  printsDocument: true,
  options: {
    namespace: {
      type: 'string',
      value: 'name',
      default: 'surehook',
      help: 'namespace of the release',
    },
    release: {
      type: 'string',
      value: 'name',
      default: 'surehook',
      help: 'full name of the release, with which the names of the Secrets begin',
    },
    apply: { type: 'boolean', help: 'create the Secrets with kubectl instead of printing them' },
  },
  variables: {
    DATABASE_URL: 'an administrator of PostgreSQL, who may create roles and schemas',
    REDIS_URL: 'Redis; {service} in it becomes auth-service, data-api, …',
    SMTP_URL: 'the mail server, as smtp:// or smtps://',
    SCHEMA_REGISTRY_PASSWORD: "only with the chart's schemaRegistry.username",
  },
  async run({ values, env, out }) {
    const read = readEnv(Variables, env)
    const { namespace, release, apply } = values
    const secrets = newChartSecrets({
      databaseUrl: read.DATABASE_URL,
      redisUrl: read.REDIS_URL,
      smtpUrl: read.SMTP_URL,
      schemaRegistryPassword: read.SCHEMA_REGISTRY_PASSWORD,
    })
    const manifests = secretManifests(secrets, { namespace, release })
    const text = manifests.map((manifest) => stringify(manifest)).join('---\n')
    if (!apply) {
      out(text.trimEnd())
      return exitCodes.ok
    }
    const names = manifests.map(({ metadata }) => metadata.name)
    const at = ['--namespace', namespace]
    const present = await kubectl(
      ['get', 'secret', ...names, ...at, '--ignore-not-found', '--output', 'name'],
      { env },
    )
    if (present.trim() !== '') {
      throw new Failure(
        `nothing was created, because these are there: ${present.trim().split('\n').join(', ')}`,
      )
    }
    out((await kubectl(['create', ...at, '--filename', '-'], { env, input: text })).trimEnd())
    return exitCodes.ok
  },
})
