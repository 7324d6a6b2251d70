import { asUserOf, hasAsUser } from '@surehook/contracts/http/data/as-user'
import { credentialsOf, type Operation } from '@surehook/contracts/operation'
import { toAppError } from '@surehook/service-kit/http/problem'
import type { AroundCall, RequestContext } from '@surehook/service-kit/http/request/request-context'
import { createAudit } from './audit.ts'

/** Audited: every call of the administrator, and every change made with a management token. */
const isAudited = ({ security, method }: Operation): boolean =>
  credentialsOf(security).includes('admin') || (security === 'management' && method !== 'get')

/** True for a read that shows what a user would see. */
const isAsUser = ({ headers }: Operation, { req }: RequestContext): boolean =>
  hasAsUser(req.headers) && headers !== undefined && hasAsUser(headers.shape)

/** For `openApiServer`: writes the audit line of each audited call. */
export const auditCalls: AroundCall = (operation, context, serve) =>
  isAudited(operation) || isAsUser(operation, context)
    ? auditedCall(operation, context, serve)
    : serve()

/** Serves the call and writes its audit line: outcome, caller, tenant and resource. */
async function auditedCall<Answer>(
  operation: Operation,
  context: RequestContext,
  serve: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await serve()
    write(operation, context, { target: targetOf(context, answer) })
    return answer
  } catch (err) {
    const { code, status } = toAppError(err)
    // A caller that was not admitted is logged only if its credential was the reason.
    if (context.isAuthorized || status === 401 || status === 403) {
      write(operation, context, { reason: code })
    }
    throw err
  }
}

type Result = { target?: string | undefined; reason?: ReturnType<typeof toAppError>['code'] }

function write(operation: Operation, context: RequestContext, result: Result): void {
  const { isAuthorized, actorId } = context
  const isOfUser = isAuthorized && isAsUser(operation, context)
  // A token without the right is known, though it is not admitted.
  const unnamed = isAuthorized ? 'administrator' : 'anonymous'
  createAudit(
    context,
    isAuthorized ? placeOf(context) : {},
  )({
    event: isAuthorized ? 'authz_admin' : 'authz_fail',
    outcome: result.reason === undefined ? 'success' : 'failure',
    actor: actorId === undefined ? unnamed : 'management_token',
    actorId,
    userId: isOfUser ? asUserOf(context.req.headers) : undefined,
    operation: operation.id,
    ...result,
  })
}

const name = /^[A-Za-z0-9_-]{1,64}$/
const nameOf = (value: unknown) =>
  typeof value === 'string' && name.test(value) ? value : undefined

/** Tenant of an admitted call. Before admission the values may be arbitrary text. */
function placeOf({ req }: RequestContext) {
  const { project, environment } = req.params
  return {
    projectId: nameOf(project ?? req.headers['x-project-id']),
    environment: nameOf(environment ?? req.headers['environment']),
  }
}

/**
 * Returns the resource in the path, or the id of the created one. Call it only after success:
 * before, the value may be a misplaced secret.
 */
function targetOf({ req }: RequestContext, answer: unknown): string | undefined {
  const { deliveryId, id, table } = req.params
  const made =
    typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined
  return nameOf(deliveryId ?? id ?? table ?? made)
}
