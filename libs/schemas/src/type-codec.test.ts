import { describe, expect, it } from '@jest/globals'
import type { ChangeEvent, DeliveryJob } from '@surehook/contracts/events'
import { aChange, aJob } from '@surehook/contracts/testing/samples'
import avro from 'avsc'
import { type DeliveryJobHead, eventSchemas, jobHeadType } from './event-schemas.ts'
import { AvroTypeCodec, UndecodableError } from './type-codec.ts'

const job = aJob({ body: Buffer.from([0, 255, 10, 13]), redeliveryOf: 'r' })
const change = aChange({ record: '{"name":"Größe 😀"}' })

const neverAsked = (): Promise<avro.Type> => Promise.reject(new Error('The registry was asked'))
const codec = (id = 7, writerOf: (id: number) => Promise<avro.Type> = neverAsked) =>
  new AvroTypeCodec<ChangeEvent>(eventSchemas.change.type, id, writerOf)

describe('AvroTypeCodec', () => {
  it('writes the Confluent wire format and reads it back at once', () => {
    const encoded = codec().encode(change)
    expect(encoded.subarray(0, 5)).toEqual(Buffer.from([0, 0, 0, 0, 7]))
    expect(codec().decode(encoded)).toEqual(change)
  })

  it('keeps earlier results when its buffer grows', () => {
    const one = codec()
    const small = one.encode(change)
    const large = one.encode({ ...change, record: `{"a":"${'x'.repeat(300_000)}"}` })
    const again = one.encode(change)
    expect(again).toEqual(small)
    expect(one.decode(large)).toMatchObject({ id: change.id })
    expect(one.decode(small)).toEqual(change)
  })

  it('carries bytes as they are', () => {
    const jobs = new AvroTypeCodec<DeliveryJob>(eventSchemas.job.type, 1, neverAsked)
    expect(jobs.decode(jobs.encode(job))).toEqual(job)
  })

  it("reads a job's head without the rest", async () => {
    const jobs = new AvroTypeCodec<DeliveryJob>(eventSchemas.job.type, 5, neverAsked)
    const ofJob = () => Promise.resolve(eventSchemas.job.type)
    const heads = new AvroTypeCodec<DeliveryJobHead>(jobHeadType, -1, ofJob)
    const { url, body, attempt, step, dueAt, arrival, traceparent, notBefore, waitMs, ...head } =
      job
    expect(await heads.decode(jobs.encode(job))).toEqual(head)
    expect(heads.decode(jobs.encode({ ...job, redeliveryOf: null }))).toEqual({
      ...head,
      redeliveryOf: null,
    })
  })

  it('names the field that does not fit', () => {
    expect(() => codec().encode({ ...change, table: 1 as never })).toThrow(/invalid "string": 1/)
  })

  it('reads values of an older schema version, and requests that version once', async () => {
    const { fields, ...rest } = eventSchemas.change.json as { fields: { name: string }[] }
    const older = avro.Type.forSchema({
      ...rest,
      fields: fields.filter(({ name }) => name !== 'traceparent'),
    } as avro.Schema)
    const asked: number[] = []
    const reader = codec(7, (id) => {
      asked.push(id)
      return Promise.resolve(older)
    })
    const written = new AvroTypeCodec<ChangeEvent>(older, 3, neverAsked).encode(change)
    await expect(reader.decode(written)).resolves.toEqual({ ...change, traceparent: null })
    expect(reader.decode(written)).toEqual({ ...change, traceparent: null })
    expect(asked).toEqual([3])
  })

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['plain JSON', Buffer.from('{"id":"1"}')],
    ['a truncated value', codec().encode(change).subarray(0, 40)],
    ['a value with a tail', Buffer.concat([codec().encode(change), Buffer.from('x')])],
  ])('refuses %s', (_what, bytes) => {
    expect(() => codec().decode(bytes)).toThrow(UndecodableError)
  })

  it('refuses a value of another type, and does not report an unreachable registry as undecodable', async () => {
    const other = codec(7, () => Promise.resolve(eventSchemas.invalid.type))
    await expect(other.decode(codec(8).encode(change))).rejects.toThrow(UndecodableError)
    const away = codec(7, () => Promise.reject(new Error('ECONNREFUSED')))
    await expect(away.decode(codec(8).encode(change))).rejects.toThrow('ECONNREFUSED')
  })
})
