import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { startStack } from '@surehook/scripts/containers/start-stack'
import type { Stack } from '@surehook/scripts/local-stack/stack'
import { query } from '@surehook/testing/database'
import { surehook } from '../support/commands/operator-cli.ts'
import { newPath } from '../support/listening-world.ts'
import type { TestSystem } from '../support/open-system.ts'
import { openWorldWithStack, payloadOf, type World } from '../support/world.ts'

const admin = 'managed_admin'

/**
 * Starts a stack whose administrator of PostgreSQL is no superuser, as managed databases give one:
 * a role that owns its database and may create roles and replicate.
 */
async function startManaged(dir: string): Promise<Stack> {
  const stack = await startStack({ dir })
  const rights = 'login createrole createdb replication'
  await query(stack.databaseUrl, `create role ${admin} ${rights} password 'managed'`)
  await query(stack.databaseUrl, `create database managed owner ${admin}`)
  const url = new URL(stack.databaseUrl)
  Object.assign(url, { username: admin, password: 'managed', pathname: '/managed' })
  return { ...stack, databaseUrl: url.href }
}

let world: World<TestSystem & { readonly stack: Stack }>

beforeAll(async () => {
  world = await openWorldWithStack({ mode: 'single' }, startManaged)
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

it('captures and delivers changes when the database has no superuser for it', async () => {
  const rights = await query(
    world.system.stack.databaseUrl,
    `select rolname from pg_roles where rolsuper and rolname ~ '^(surehook|managed)_'`,
  )
  expect(rights).toEqual([])
  const { receiver } = world
  const path = newPath()
  const tenant = await world.tenant()
  await tenant.putTable('orders')
  await tenant.subscribe(receiver.url(path))
  await tenant.insert({ n: 1 })
  const [receipt] = await receiver.waitFor(path, 1)
  expect(receipt && payloadOf(receipt).data).toMatchObject({ n: 1 })
})

it('is prepared again, and checked, by the same administrator', async () => {
  const { databaseUrl, kafkaBrokers, schemaRegistryUrl, redisUrl } = world.system.endpoints
  const variables = {
    DATABASE_URL: databaseUrl,
    KAFKA_BROKERS: kafkaBrokers,
    SCHEMA_REGISTRY_URL: schemaRegistryUrl,
    REDIS_URL: redisUrl,
    KAFKA_PARTITIONS: '4',
    KEY_ENCRYPTION_KEY: Buffer.alloc(32, 'test').toString('base64'),
  }
  const prepared = await surehook(variables, 'prepare', 'database')
  expect(prepared.out).toContain('data-api: role surehook_data_api, schema data_api')
  const { out } = await surehook(variables, 'doctor')
  expect(out).not.toMatch(/permission denied|must be superuser/)
  expect(out).toContain('PostgreSQL')
})
