import { createHmac, timingSafeEqual } from 'node:crypto'
import type { EncryptionKeys } from '@surehook/service-kit/config/config'
import type { Tenant } from '../../tenants/tenant.ts'
import { Position } from './position.ts'

const version = 1
/** 96 bits are enough, because each try of a forger is a request. */
const macBytes = 12
const maxPartitions = 1_000

/**
 * Encodes positions as text that only one environment can use: version, one varint per partition,
 * and a MAC over these, the tenant and the id of the topic. Every replica can decode it.
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

  encode(position: Position, tenant: Tenant): string {
    const body = Buffer.from([version, ...position.offsets.flatMap(varint)])
    const [current] = this.#keys
    if (current === undefined) throw new Error('There is no key for cursors')
    return Buffer.concat([body, this.#mac(current, body, tenant)]).toString('base64url')
  }

  /** Returns `null` for anything that `encode` did not write for this tenant and topic. */
  decode(cursor: string, tenant: Tenant): Position | null {
    const bytes = Buffer.from(cursor, 'base64url')
    if (bytes.length <= macBytes + 1 || bytes.toString('base64url') !== cursor) return null
    const body = bytes.subarray(0, -macBytes)
    const mac = bytes.subarray(-macBytes)
    const isOurs = this.#keys.some((key) => timingSafeEqual(this.#mac(key, body, tenant), mac))
    return isOurs && body[0] === version ? readPosition(body) : null
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

function readPosition(body: Buffer): Position | null {
  const offsets: number[] = []
  let value = 0
  let unit = 1
  for (const byte of body.subarray(1)) {
    value += (byte & 127) * unit
    unit *= 128
    if (byte >= 128) continue
    offsets.push(value)
    value = 0
    unit = 1
  }
  return unit === 1 && offsets.length <= maxPartitions ? new Position(offsets) : null
}
