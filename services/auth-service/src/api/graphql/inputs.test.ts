import { describe, expect, it } from '@jest/globals'
import * as account from '@surehook/contracts/http/account'
import * as auth from '@surehook/contracts/http/auth'
import type { Operation } from '@surehook/contracts/operation'
import { buildSchema, isNonNullType } from 'graphql'
import * as z from 'zod'
import { typeDefs } from './type-defs.ts'

const mutations = Object.values(buildSchema(typeDefs).getMutationType()?.getFields() ?? {})

const operationOf = (name: string): Operation | undefined =>
  (({ ...auth, ...account }) as unknown as Readonly<Record<string, Operation | undefined>>)[name]

describe('a mutation takes what its operation takes over REST', () => {
  it.each(mutations.map(({ name, args }) => ({ name, args })))('$name', ({ name, args }) => {
    const operation = operationOf(name)
    const input = operation?.body ?? operation?.params
    const shape = input instanceof z.ZodObject ? Object.entries<z.ZodType>(input.shape) : []
    const overRest = shape.map(([field, schema]) => {
      const [absent, isNull] = [undefined, null].map((value) => schema.safeParse(value).success)
      return { field, absent, isNull }
    })
    const overGraphQL = args.map(({ name: field, type }) => {
      const isOptional = !isNonNullType(type)
      return { field, absent: isOptional, isNull: isOptional }
    })
    expect(overRest).toEqual(overGraphQL)
  })
})
