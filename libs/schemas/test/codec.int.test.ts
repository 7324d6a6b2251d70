import { randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'
import { openEventCodec, registerSchema, UndecodableError } from '../src/codec.ts'
import { eventSchemas } from '../src/event-schemas.ts'

const registryUrl = process.env['TEST_REGISTRY_URL'] ?? ''
const registry = () => ({
  url: registryUrl,
  client: new SchemaRegistry({ host: registryUrl, clientId: 'test' }),
})

const versions = (subject: string) => {
  const { fields, ...rest } = eventSchemas.environment.json as { fields: object[] }
  const register = (changed: object[]) =>
    registerSchema(registry(), { subject, json: { ...rest, fields: changed } })
  return { fields, register }
}

const ids = async () => {
  const found: object[] = []
  await openEventCodec({ registryUrl, log: { info: (fields) => found.push(fields) } })
  return found[0]
}

describe('openEventCodec', () => {
  it('gets the same ids again, also when several open it at once', async () => {
    const [first, ...others] = await Promise.all([ids(), ids(), ids()])
    for (const other of others) expect(other).toEqual(first)
  })

  it('sets FULL_TRANSITIVE on every subject', async () => {
    await openEventCodec({ registryUrl })
    for (const { subject } of Object.values(eventSchemas)) {
      const reply = await fetch(`${registryUrl}/config/${subject}`)
      expect(await reply.json()).toMatchObject({ compatibilityLevel: 'FULL_TRANSITIVE' })
    }
  })

  it('returns the codec of each topic', async () => {
    const codec = await openEventCodec({ registryUrl })
    expect(codec.ofTopic('webhook.deliveries.retry.5s')).toBe(codec.job)
    expect(codec.ofTopic('webhook.deliveries.invalid')).toBe(codec.invalid)
    expect(codec.ofTopic('changes')).toBe(codec.change)
    expect(() => codec.ofTopic('orders')).toThrow('orders')
  })

  it('reports an unknown schema id as undecodable', async () => {
    const codec = await openEventCodec({ registryUrl })
    const bytes = Buffer.from([0, 0x7f, 0xff, 0xff, 0xf0, 1, 2, 3])
    await expect(codec.change.decode(bytes)).rejects.toThrow(UndecodableError)
  })

  it('rejects when the registry is unreachable', async () => {
    await expect(openEventCodec({ registryUrl: 'http://127.0.0.1:9' })).rejects.toThrow(
      'changes-value',
    )
  })
})

describe('registerSchema', () => {
  it('gives the same id to concurrent registrations of a new subject', async () => {
    for (let round = 0; round < 4; round++) {
      const { fields, register } = versions(`test-${randomUUID()}-value`)
      const found = await Promise.all(Array.from({ length: 6 }, () => register(fields)))
      expect(new Set(found.map(({ id }) => id)).size).toBe(1)
    }
  })

  it('accepts a subject with a version but no compatibility', async () => {
    const subject = `test-${randomUUID()}-value`
    const { fields, register } = versions(subject)
    const schema = JSON.stringify({ ...eventSchemas.environment.json, fields })
    // Simulates a process that died between its two requests.
    const made = await fetch(`${registryUrl}/subjects/${subject}/versions`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
      body: JSON.stringify({ schema }),
    })
    expect(await register(fields)).toEqual(await made.json())
    const config = await fetch(`${registryUrl}/config/${subject}`)
    expect(await config.json()).toMatchObject({ compatibilityLevel: 'FULL_TRANSITIVE' })
  })

  it('accepts a field that is added or removed with a default', async () => {
    const { fields, register } = versions(`test-${randomUUID()}-value`)
    const note = { name: 'note', type: 'string', default: '' }
    const first = await register(fields)
    const second = await register([...fields, note])
    expect(second.id).not.toBe(first.id)
    expect(await register(fields)).toEqual(first)
  })

  it.each([
    [
      'adds a field without a default',
      (fields: object[]) => [...fields, { name: 'n', type: 'string' }],
    ],
    ['removes a field that had no default', (fields: object[]) => fields.slice(1)],
    ['changes a type', (fields: object[]) => [{ ...fields[0], type: 'long' }, ...fields.slice(1)]],
    [
      'renames a field',
      (fields: object[]) => [{ ...fields[0], name: 'project' }, ...fields.slice(1)],
    ],
  ])('refuses a version that %s', async (_what, change) => {
    const { fields, register } = versions(`test-${randomUUID()}-value`)
    await register(fields)
    await expect(register(change(fields))).rejects.toThrow(/was not accepted/)
  })

  it('refuses a schema that fits the last version but not the one before it', async () => {
    const { fields, register } = versions(`test-${randomUUID()}-value`)
    await register([...fields, { name: 'note', type: 'string', default: '' }])
    await register(fields)
    await expect(register([...fields, { name: 'note', type: 'long', default: 0 }])).rejects.toThrow(
      /was not accepted/,
    )
  })
})
