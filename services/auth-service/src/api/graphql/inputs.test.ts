import { describe, expect, it } from '@jest/globals'
import * as operations from '@surehook/contracts/http/auth'
import type { Operation } from '@surehook/contracts/operation'
import { buildSchema, isNonNullType } from 'graphql'
import * as z from 'zod'
import { typeDefs } from './type-defs.ts'

const mutations = Object.values(buildSchema(typeDefs).getMutationType()?.getFields() ?? {})

const operationOf = (name: string): Operation | undefined =>
  (operations as unknown as Readonly<Record<string, Operation | undefined>>)[name]

describe('a mutation takes what its operation takes over REST', () => {
  it.each(mutations.map(({ name, args }) => ({ name, args })))('$name', ({ name, args }) => {
    const body = operationOf(name)?.body
    const shape = body instanceof z.ZodObject ? Object.entries<z.ZodType>(body.shape) : []
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
