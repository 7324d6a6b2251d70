import { randomBytes } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { CursorCodec } from './cursor.ts'
import { offsetByTime, Position } from './position.ts'

const keyA = Buffer.alloc(32, 1)
const keyB = Buffer.alloc(32, 2)
const topicId = Buffer.alloc(16, 7)
const tenant = { projectId: 'shop', environment: 'live' }
const codec = new CursorCodec([keyA], topicId)

const unbound = (offsets: number[]) => ({ position: new Position(offsets), madeAt: 7 })
const cursors = fc
  .record({
    offsets: fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 50 }),
    madeAt: fc.maxSafeNat(),
  })
  .map(({ offsets, madeAt }) => ({ position: new Position(offsets), madeAt }))

describe('a cursor', () => {
  it('comes back as the position that it was made of', () => {
    fc.assert(
      fc.property(cursors, (made) => {
        const cursor = codec.encode(made, tenant)
        expect(cursor).toMatch(/^[\w-]+$/)
        expect(codec.decode(cursor, tenant)).toEqual(made)
      }),
    )
  })

  it('has another version while an offset is unknown, which earlier releases refuse', () => {
    const versionOf = (offsets: number[]) =>
      Buffer.from(codec.encode(unbound(offsets), tenant), 'base64url')[0]
    expect([versionOf([1, 2]), versionOf([1, offsetByTime(Date.now())])]).toEqual([2, 3])
  })

  it('is compact: 12 partitions of a billion records fit into 110 characters', () => {
    const position = new Position(Array.from({ length: 12 }, () => 1_000_000_000))
    expect(codec.encode({ position, madeAt: Date.now() }, tenant).length).toBeLessThan(110)
  })

  it('is refused when any of its characters is another one', () => {
    fc.assert(
      fc.property(cursors, fc.nat(), fc.constantFrom('A', 'b', '7', '_'), (made, at, other) => {
        const cursor = codec.encode(made, tenant)
        const index = at % cursor.length
        const forged = cursor.slice(0, index) + other + cursor.slice(index + 1)
        fc.pre(forged !== cursor)
        expect(codec.decode(forged, tenant)).toBeNull()
      }),
    )
  })

  it('is refused elsewhere: for other tenants, another topic and another key', () => {
    const cursor = codec.encode(unbound([1, 2, 3]), tenant)
    expect(codec.decode(cursor, { ...tenant, environment: 'test' })).toBeNull()
    expect(codec.decode(cursor, { ...tenant, projectId: 'shop2' })).toBeNull()
    expect(codec.decode(cursor, { projectId: 'sho', environment: 'plive' })).toBeNull()
    expect(new CursorCodec([keyA], randomBytes(16)).decode(cursor, tenant)).toBeNull()
    expect(new CursorCodec([keyB], topicId).decode(cursor, tenant)).toBeNull()
  })

  it('stays valid while its key is one of the previous ones', () => {
    const cursor = codec.encode(unbound([5]), tenant)
    expect(new CursorCodec([keyB, keyA], topicId).decode(cursor, tenant)).toEqual(unbound([5]))
  })

  it('is never made of any text', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(codec.decode(text, tenant)).toBeNull()))
    expect(codec.decode('', tenant)).toBeNull()
  })
})

it('a position of 8 partitions goes on in those that were added, from their beginning', () => {
  const position = new Position(Array.from({ length: 8 }, () => 5))
  expect(position.at(31)).toBe(0)
  position.advance(31, 7)
  expect(position.offsets).toHaveLength(32)
  const cursor = codec.encode({ position, madeAt: 7 }, tenant)
  expect(codec.decode(cursor, tenant)?.position).toEqual(position)
  expect([position.at(7), position.at(8), position.at(31)]).toEqual([5, 0, 7])
})
