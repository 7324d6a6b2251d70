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
  /** Rejects where nothing was executed and nothing is known of the document's faults. */
  execute: (input: Input<Op>, ctx: Context<Auth>) => Promise<GraphQLAnswer>
}

const mediaTypes = graphqlMediaTypes.map((type) => `${type}; charset=utf-8`)
const [json = ''] = mediaTypes

/**
 * Serves an operation by the rules of GraphQL over HTTP. What was executed is 200. A refused request has the status that
 * REST gives it. A fault of the document or its variables is 400 as `application/graphql-response+json`, and 200 as
 * `application/json`, whose clients take other statuses for those of something in between.
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

/** The media type that the client prefers; `application/json` if it names neither. */
function acceptedType(req: ApiRequest): string {
  const accepts: (this: ApiRequest, types: string[]) => string | false = express.request.accepts
  return accepts.call(req, mediaTypes) || json
}
