import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { LogPosition } from '@surehook/contracts/events/log-position'
import type { ManagementRight } from '@surehook/contracts/rights'
import { environmentsTopic, managementTokensTopic } from '@surehook/contracts/topics'
import type { EventProducer, OutgoingRecord } from '@surehook/kafka/producer/producer'
import type { EventCodec } from '@surehook/schemas/codec'

export type Tenant = { projectId: string; environment: string; token: string }
export type TokenLimits = {
  environments?: string[]
  expiresAt?: string
  rights?: ManagementRight[]
}

type Parts = { codec: EventCodec; producer: EventProducer }
type EnvironmentName = Omit<Tenant, 'token'>

/** Publishes an environment, and a token that is valid for its whole project. */
export async function publishTenant(
  parts: Parts,
  { projectId = `p-${randomUUID()}`, environment = 'master' }: Partial<EnvironmentName> = {},
): Promise<Tenant> {
  await parts.producer.send([environmentRecord(parts.codec, { projectId, environment })])
  return { projectId, environment, token: await publishToken(parts, projectId) }
}

export async function publishToken(
  { codec, producer }: Parts,
  projectId: string,
  limits: TokenLimits = {},
): Promise<string> {
  const { token, record } = tokenRecord(codec, projectId, limits)
  await producer.send([record])
  return token
}

/** Like `publishToken`, but also returns the id that revokes the token. */
export async function publishRevocableToken(
  { codec, producer }: Parts,
  projectId: string,
): Promise<{ tokenId: string; token: string }> {
  const { id: tokenId, token, record } = tokenRecord(codec, projectId)
  await producer.send([record])
  return { tokenId, token }
}

/** The state of an environment, as auth-service publishes it. */
export function environmentRecord(
  codec: EventCodec,
  of: EnvironmentName & {
    settings?: object
    keyEpoch?: number
    changesFrom?: LogPosition
    deletedAt?: string
  },
): OutgoingRecord {
  const { projectId, environment, settings = {}, keyEpoch = 0 } = of
  const now = new Date().toISOString()
  const value = codec.environment.encode({
    projectId,
    environment,
    settings: JSON.stringify(settings),
    updatedAt: now,
    deletedAt: of.deletedAt ?? null,
    keyEpoch,
    createdAt: now,
    changesFrom: of.changesFrom ?? null,
  })
  return { topic: environmentsTopic, key: `${projectId}/${environment}`, value }
}

/** A new management token, and its state as auth-service publishes it. */
export function tokenRecord(
  codec: EventCodec,
  projectId: string,
  { environments, expiresAt, rights }: TokenLimits = {},
): { id: string; token: string; record: OutgoingRecord } {
  const token = `mt_${randomBytes(32).toString('base64url')}`
  const id = randomUUID()
  const value = codec.managementToken.encode({
    id,
    projectId,
    name: 'test',
    tokenHash: createHash('sha256').update(token).digest('hex'),
    environments: environments ?? null,
    createdAt: new Date().toISOString(),
    expiresAt: expiresAt ?? null,
    rights: rights ?? null,
  })
  return { id, token, record: { topic: managementTokensTopic, key: id, value } }
}
