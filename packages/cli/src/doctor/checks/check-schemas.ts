import { isDeepStrictEqual } from 'node:util'
import { type Finding, findingsOf } from '@surehook/diagnosis/finding'
import { eventSchemas } from '@surehook/schemas/event-schemas'
import { askRegistry, type KafkaVariables, readKafkaVariables } from '../../lib/connections.ts'
import type { Target } from '../target.ts'

const { ok, wrong } = findingsOf('schemas')

const compatibility = 'FULL_TRANSITIVE'
const prepare = 'Run `surehook prepare topics`.'

/** Checks whether the registry has this version's schemas and refuses incompatible ones. */
export async function checkSchemas({ env }: Target): Promise<Finding[]> {
  const read = readKafkaVariables(env)
  const subjects = Object.values(eventSchemas)
  const findings = await Promise.all(
    subjects.map(({ subject, json }) => examine(read, { subject, json })),
  )
  const faults = findings.flat()
  return faults.length > 0 ? faults : [ok(`${subjects.length} schemas, each ${compatibility}`)]
}

type Subject = { subject: string; json: object }

async function examine(read: KafkaVariables, { subject, json }: Subject): Promise<Finding[]> {
  const path = encodeURIComponent(subject)
  const latest = await askRegistry(read, `/subjects/${path}/versions/latest`)
  if (latest.status === 404) return [wrong(`${subject} is not registered`, prepare)]
  if (latest.status !== 200) {
    return [
      wrong(`the registry answers ${latest.status}`, 'Look at the log of the schema registry.'),
    ]
  }
  const { schema } = latest.body as { schema: string }
  const config = await askRegistry(read, `/config/${path}`)
  const { compatibilityLevel } = (config.body ?? {}) as { compatibilityLevel?: string }
  return [
    ...(isDeepStrictEqual(JSON.parse(schema), JSON.parse(JSON.stringify(json)))
      ? []
      : [wrong(`${subject}: the newest schema is not that of this version`, prepare)]),
    ...(compatibilityLevel === compatibility
      ? []
      : [wrong(`${subject}: compatibility is ${compatibilityLevel ?? 'not set'}`, prepare)]),
  ]
}
