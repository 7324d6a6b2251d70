import { graphqlMediaTypes } from '@surehook/contracts/http/graphql'
import type { Operation } from '@surehook/contracts/operation'
import express, { type Router } from 'express'
import { type Input, mount, Reply, rawJson } from '../http/mount.ts'
import { problemHeaders, toAppError } from '../http/problem.ts'
import type { ApiRequest, RequestContext } from '../http/request/request-context.ts'
import { type GraphQLAnswer, refuseGraphQL } from './graphql-transport.ts'

type Context<Auth> = RequestContext & { readonly auth: Auth }

export type GraphQLHandler<Op extends Operation, Auth> = {
  authorize: (ctx: RequestContext) => Promise<Auth> | Auth
  /** Rejects if nothing was executed and the document itself has no known fault. */
  execute: (input: Input<Op>, ctx: Context<Auth>) => Promise<GraphQLAnswer>
}

const mediaTypes = graphqlMediaTypes.map((type) => `${type}; charset=utf-8`)
const [json = ''] = mediaTypes

/**
 * Serves an operation by the rules of GraphQL over HTTP. An executed request gets 200. A refused
 * request gets the status that REST uses. A fault of the document or its variables gets 400 as
 * `application/graphql-response+json`, and 200 as `application/json`. Clients of the latter
 * attribute other statuses to an intermediary.
 *
 * @see https://graphql.github.io/graphql-over-http/draft/#sec-Status-Codes
 */
export function mountGraphQL<Op extends Operation, Auth>(
  router: Router,
  operation: Op,
  { authorize, execute }: GraphQLHandler<Op, Auth>,
): void {
  mount<Op, Auth>(router, operation, {
    authorize,
    async handle(input, ctx) {
      const { text, hasData } = await execute(input, ctx)
      const type = acceptedType(ctx.req)
      const status = hasData || type === json ? 200 : 400
      return new Reply(rawJson(text), { 'Content-Type': type }, status)
    },
    refuse(err, { req, log }) {
      const problem = toAppError(err)
      const headers = { ...problemHeaders(problem), 'Content-Type': acceptedType(req) }
      return new Reply(rawJson(refuseGraphQL(problem, log)), headers, problem.status)
    },
  })
}

/** Media type that the client prefers. Default: `application/json`. */
function acceptedType(req: ApiRequest): string {
  const accepts: (this: ApiRequest, types: string[]) => string | false = express.request.accepts
  return accepts.call(req, mediaTypes) || json
}
