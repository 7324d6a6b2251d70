import * as z from 'zod'
import { Problem } from '../problem.ts'

export const GraphQLRequest = z
  .strictObject({
    query: z.string().min(1).describe('The GraphQL document'),
    variables: z.record(z.string(), z.unknown()).nullish(),
    operationName: z.string().nullish().describe('The operation to run, if there are several'),
    extensions: z.record(z.string(), z.unknown()).nullish(),
  })
  .meta({ id: 'GraphQLRequest' })
export type GraphQLRequest = z.infer<typeof GraphQLRequest>

/** Response media types of both endpoints. The request's `Accept` header chooses one. */
export const graphqlMediaTypes = ['application/json', 'application/graphql-response+json']

/**
 * The result of an operation. A failed one is an entry in `errors`. Without `data` the whole
 * request was refused.
 */
export const GraphQLResult = z
  .object({
    data: z.record(z.string(), z.unknown()).nullish(),
    errors: z
      .array(
        z.object({
          message: z.string(),
          path: z.array(z.union([z.string(), z.int()])).optional(),
          extensions: z.object({
            code: Problem.shape.error,
            violations: Problem.shape.violations,
            lockedUntil: Problem.shape.lockedUntil,
            retryAfter: z.int().optional().describe('Seconds'),
          }),
        }),
      )
      .optional(),
  })
  .meta({ id: 'GraphQLResult' })
