import { kafkaEnv } from '@surehook/kafka/config/kafka-env'
import { readEnv } from '@surehook/service-kit/config/config'
import * as z from 'zod'
import { defineCommand, exitCodes, UsageError } from '../cli/command.ts'
import { kafkaClient } from '../lib/connections.ts'
import { quietLog } from '../lib/quiet-log.ts'
import { waitFor, waitOption } from '../lib/wait-for.ts'
import {
  defaultPrincipal,
  kafkaAclCommands,
  prepareKafkaAccess,
} from '../prepare/prepare-kafka-access.ts'

const { SCHEMA_REGISTRY_URL: _registry, ...kafkaOnly } = kafkaEnv
const Variables = z.object(kafkaOnly)

export const prepareKafkaAccessCommand = defineCommand({
  name: 'prepare kafka-access',
  summary: 'Grant each service its rights on Kafka',
  details: [
    'The command creates ACLs and removes none. Run it as an administrator of Kafka. You may repeat it.',
    'Create the users with the tools of Kafka: see docs/operate/security.md.',
  ].join('\n'),
  options: {
    ...waitOption,
    principal: {
      type: 'string',
      value: 'pattern',
      default: defaultPrincipal,
      help: 'how Kafka names a user. {user} is auth-service, data-api, …',
    },
    print: { type: 'boolean', help: 'print calls of kafka-acls.sh and change nothing' },
  },
  variables: {
    KAFKA_BROKERS: 'brokers as host:port, separated by commas',
    'KAFKA_TLS, KAFKA_CA_FILE, KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD':
      'an administrator of Kafka',
  },
  async run({ values, env, json, out, note, signal }) {
    const { principal, wait, print } = values
    if (!principal.includes('{user}')) throw new UsageError('--principal: must contain {user}')
    if (print) {
      for (const line of kafkaAclCommands(principal)) out(line)
      return exitCodes.ok
    }
    const read = readEnv(Variables, env)
    const kafka = kafkaClient(read, quietLog({ env, note }))
    const prepare = () => prepareKafkaAccess(kafka, principal)
    const allowed = await waitFor({ what: 'Kafka', wait }, prepare, { note, signal })
    if (json) out(JSON.stringify({ allowed }, null, 2))
    else for (const [who, count] of Object.entries(allowed)) out(`${who}: ${count} ACLs`)
    return exitCodes.ok
  },
})
