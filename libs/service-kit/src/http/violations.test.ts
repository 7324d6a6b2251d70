import { describe, expect, it } from '@jest/globals'
import type { RuledViolation } from '@surehook/contracts/problem'
import { ruled } from '@surehook/contracts/violation-rules'
import * as z from 'zod'
import { headerName, parsePart, soundFields } from './violations.ts'

function faults(schema: z.ZodType, input: unknown, part: 'body' | 'headers' = 'body'): string[] {
  const violations: RuledViolation[] = []
  parsePart(part, schema, { input, violations })
  return violations.map(({ field, message }) => `${field} ${message}`)
}

describe('parsePart', () => {
  it.each([
    [z.string(), 1, 'body must be a string'],
    [z.object({ a: z.boolean() }), { a: 'x' }, 'a must be true or false'],
    [z.object({ a: z.int() }), { a: 1.5 }, 'a must be a whole number'],
    [z.object({ a: z.array(z.string()).max(1) }), { a: ['', ''] }, 'a must have at most 1 element'],
    [z.object({ a: z.string().max(2) }), { a: 'xxx' }, 'a must have at most 2 characters'],
    [z.object({ a: z.number().gt(2) }), { a: 2 }, 'a must be more than 2'],
    [z.object({ a: z.literal('x') }), { a: 'y' }, 'a must be x'],
    [z.object({ a: z.string().regex(/x/) }), { a: 'y' }, 'a has a form that is not accepted'],
    [z.object({ a: z.string().regex(/x/, 'must hold x') }), { a: 'y' }, 'a must hold x'],
    [z.object({ a: z.string().startsWith('mt_') }), { a: 'y' }, 'a must start with "mt_"'],
    [z.object({ a: z.coerce.number() }), { a: 'y' }, 'a must be a number'],
    [z.object({ a: z.iso.datetime() }), { a: 'y' }, /^a must be an ISO 8601 date and time/],
    [z.object({ a: z.array(z.object({ b: z.string() })) }), { a: [{}] }, 'a.0.b is required'],
    [z.record(z.string().max(1, 'is too long'), z.int()), { ab: 1 }, 'ab name is too long'],
    [z.record(z.string(), z.int()), { a: 0.5 }, 'a must be a whole number'],
  ])('explains a fault to the sender (%#)', (schema, input, expected) => {
    expect(faults(schema, input)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ])
  })

  const named = z.object({ a: z.string().refine(() => false, ruled('no', 'repeated')) })
  it.each([
    [z.object({ a: z.string() }), {}, 'required'],
    [z.object({ a: z.enum(['x']) }), {}, 'required'],
    [z.object({ a: z.union([z.string(), z.int()]) }), {}, 'required'],
    [z.object({ a: z.string() }), { a: null }, 'invalid_type'],
    [z.object({ a: z.union([z.string(), z.boolean()]) }), { a: 7 }, 'invalid_type'],
    [z.object({ a: z.union([z.string(), z.literal(3)]) }), { a: 7 }, 'invalid_value'],
    [z.object({ a: z.enum(['x']) }), { a: 'y' }, 'invalid_value'],
    [z.object({ a: z.uuid() }), { a: 'y' }, 'invalid_format'],
    [z.object({ a: z.string().regex(/x/, 'must hold x') }), { a: 'y' }, 'invalid_format'],
    [z.object({ a: z.string().min(1) }), { a: '' }, 'too_short'],
    [z.object({ a: z.string().max(1) }), { a: 'xx' }, 'too_long'],
    [z.object({ a: z.array(z.int()).min(1) }), { a: [] }, 'too_few'],
    [z.object({ a: z.array(z.int()).max(1) }), { a: [1, 2] }, 'too_many'],
    [z.object({ a: z.int().min(1) }), { a: 0 }, 'too_small'],
    [z.object({ a: z.coerce.number().max(1) }), { a: '2' }, 'too_large'],
    [z.object({ a: z.int().multipleOf(2) }), { a: 1 }, 'not_multiple_of'],
    [z.object({ a: z.string().refine(() => false, 'no') }), { a: '' }, 'invalid_value'],
    [named, { a: '' }, 'repeated'],
    [z.strictObject({}), { a: 1 }, 'unrecognized'],
    [z.record(z.string().max(1), z.int()), { ab: 1 }, 'invalid_name'],
    [z.object({ a: z.array(z.object({ b: z.string() })) }), { a: [{}] }, 'required'],
  ])('names the rule of a fault (%#)', (schema, input, rule) => {
    const violations: RuledViolation[] = []
    parsePart('body', schema, { input, violations })
    expect(violations.map((violation) => violation.rule)).toEqual([rule])
  })

  it('explains the alternative that is closest to the value', () => {
    const schema = z.object({
      where: z.union([
        z.string(),
        z.strictObject({ eq: z.int() }),
        z.strictObject({ in: z.int(), of: z.int() }),
      ]),
    })
    expect(faults(schema, { where: { eq: 1.5 } })).toEqual(['where.eq must be a whole number'])
    expect(faults(schema, { where: { eq: 1.5, or: 2 } })).toEqual([
      'where.eq must be a whole number',
      'where.or is not a known field',
    ])
    expect(faults(schema, { where: 7 })).toEqual(['where must be a string, or must be an object'])
    expect(faults(schema, {})).toEqual(['where is required'])
  })

  it('lists the types of the alternatives', () => {
    const schema = z.object({
      of: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a') }),
        z.object({ kind: z.literal('b') }),
      ]),
    })
    expect(faults(schema, { of: { kind: 'c' } })).toEqual(['of.kind must be one of a, b'])
  })

  it('names headers as they are written', () => {
    const schema = z.object({ 'x-project-id': z.string(), environment: z.string() })
    expect(faults(schema, {}, 'headers')).toEqual([
      'X-Project-Id is required',
      'environment is required',
    ])
    expect(headerName('if-none-match')).toBe('If-None-Match')
  })

  it('limits the number of reported faults', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${i}`, 1]))
    expect(faults(z.strictObject({}), many)).toHaveLength(100)
    expect(faults(z.strictObject({}), { ['x'.repeat(5_000)]: 1 })[0]).toHaveLength(
      200 + ' is not a known field'.length,
    )
  })
})

describe('soundFields', () => {
  const group = z.strictObject({ size: z.int().optional(), name: z.string().nullish() })
  const schema = z.strictObject({
    id: z.string().default('none'),
    count: z.int(),
    group: group.nullish(),
    pair: z.strictObject({ a: z.int(), b: z.int() }).optional(),
  })

  it.each([
    [undefined, {}],
    ['text', {}],
    [[], { id: 'none' }],
    [{ id: 7, count: 1 }, { count: 1 }],
    [{ count: 'x', other: 1 }, { id: 'none' }],
    [
      { id: 'a', group: { size: 'x', name: null, extra: 1 } },
      { id: 'a', group: { name: null } },
    ],
    [{ id: 'a', pair: { a: 1, b: 'x' } }, { id: 'a' }],
  ])('of %j are %j', (input, sound) => {
    expect(soundFields(schema, input)).toEqual(sound)
  })
})
