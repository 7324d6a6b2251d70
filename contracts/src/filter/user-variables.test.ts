import { expect, test } from '@jest/globals'
import { bindVariables, variableFaults, variablesOf } from './user-variables.ts'

const values = new Map<string, string | string[] | null>([
  ['id', 'u1'],
  ['roles', ['a', 'b']],
  ['none', null],
])
const bound = (where: Record<string, unknown>) => bindVariables(where, (name) => values.get(name))

test('a variable stands for its value wherever an operand may stand', () => {
  expect(
    bound({
      owner: '$user.id',
      and: [{ team: { in: '$user.roles' } }, { not: { owner: { ne: '$user.id' } } }],
      or: [{ 'doc.by': { in: ['$user.id', 'x'] } }],
      changed: ['$user.id'],
    }),
  ).toEqual({
    owner: 'u1',
    and: [{ team: { in: ['a', 'b'] } }, { not: { owner: { ne: 'u1' } } }],
    or: [{ 'doc.by': { in: ['u1', 'x'] } }],
    changed: ['$user.id'],
  })
})

test('two dollar signs stand for a text that begins with one', () => {
  expect(bound({ price: '$$user.id', tag: { in: ['$$'] }, plain: 'a$b' })).toEqual({
    price: '$user.id',
    tag: { in: ['$'] },
    plain: 'a$b',
  })
})

test.each(['missing', 'none'])('a user without the value %s has no filter', (name) => {
  expect(bound({ not: { team: `$user.${name}` } })).toBeNull()
})

test.each(['$', '$user', '$user.', '$user.Id', '$user.a.b', '$id', '$User.id'])(
  '%s is no variable',
  (text) => {
    const where = { and: [{ team: { in: ['x', text] } }] }
    expect(variableFaults(where)).toMatchObject([{ field: 'and.0.team.in.1' }])
    expect(bound(where)).toBeNull()
  },
)

test('the names of the variables, each once', () => {
  expect([
    ...variablesOf({ a: '$user.id', not: { b: ['$user.x', '$user.id', '$$user.y'] } }),
  ]).toEqual(['id', 'x'])
})
