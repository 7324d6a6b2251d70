import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import type { Tenant } from '../../tenants/tenant.ts'
import { Position } from './position.ts'

const version = 2
/**
 * The version of a position with unknown offsets. Replicas of earlier releases refuse it, because
 * they would pass over changes.
 */
const versionOfUnknown = 3
/** 96 bits are enough, because each try of a forger is a request. */
const macBytes = 12
const maxPartitions = 1_000

export type Cursor = {
  position: Position
  /** When its environment was made, in epoch milliseconds. */
  madeAt: number
}

/**
 * Encodes positions as text that only one environment can use: version, the time at which the
 * environment was made, one varint per partition, and a MAC over these, the tenant and the id of the
 * topic. Every replica can decode it.
 */
export class CursorCodec {
  readonly #keys: readonly Buffer[]
  readonly #topicId: Buffer

  /**
   * @param topicId binds cursors to the topic: after its deletion and creation the same offsets are
   * other records
   */
  constructor(encryptionKeys: EncryptionKeys, topicId: Buffer) {
    this.#keys = encryptionKeys.map((key) =>
      createHmac('sha256', key).update('stream-cursor').digest(),
    )
    this.#topicId = topicId
  }

  encode({ position, madeAt }: Cursor, tenant: Tenant): string {
    const first = position.unknown.length > 0 ? versionOfUnknown : version
    const body = Buffer.from([first, ...[madeAt, ...position.offsets].flatMap(varint)])
    const [current] = this.#keys
    if (current === undefined) throw new Error('There is no key for cursors')
    return Buffer.concat([body, this.#mac(current, body, tenant)]).toString('base64url')
  }

  /** Returns `null` for anything that `encode` did not write for these names and this topic. */
  decode(cursor: string, tenant: Tenant): Cursor | null {
    const bytes = Buffer.from(cursor, 'base64url')
    if (bytes.length <= macBytes + 1 || bytes.toString('base64url') !== cursor) return null
    const body = bytes.subarray(0, -macBytes)
    const mac = bytes.subarray(-macBytes)
    const isOurs = this.#keys.some((key) => timingSafeEqual(this.#mac(key, body, tenant), mac))
    return isOurs ? readCursor(body) : null
  }

  #mac(key: Buffer, body: Buffer, { projectId, environment }: Tenant): Buffer {
    const hmac = createHmac('sha256', key).update(this.#topicId)
    hmac.update(`${projectId}/${environment}/`).update(body)
    return hmac.digest().subarray(0, macBytes)
  }
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

function readCursor(body: Buffer): Cursor | null {
  if (body[0] !== version && body[0] !== versionOfUnknown) return null
  const [madeAt, ...offsets] = readVarints(body.subarray(1)) ?? []
  return madeAt === undefined ? null : { position: new Position(offsets), madeAt }
}

function readVarints(bytes: Buffer): number[] | null {
  const values: number[] = []
  let value = 0
  let unit = 1
  for (const byte of bytes) {
    value += (byte & 127) * unit
    unit *= 128
    if (byte >= 128) continue
    values.push(value)
    value = 0
    unit = 1
  }
  return unit === 1 && values.length <= maxPartitions ? values : null
}
