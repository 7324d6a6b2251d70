import type { IncomingMessage } from 'node:http'
import { AppError, invalid } from '@surehook/service-kit/errors'
import { readBody } from '@surehook/service-kit/http/json-body'
import { rememberMethod } from '@surehook/service-kit/http/mount'
import { sendJson } from '@surehook/service-kit/http/problem'
import { contextOf } from '@surehook/service-kit/http/request/request-context'
import type { RequestHandler, Router } from 'express'
import type { ResolveTenant } from '../../platform/tenant.ts'
import type { AccessTokens } from '../../sessions/tokens/access-token.ts'
import type { RequireService } from './require-service.ts'

export type IntrospectionDeps = {
  resolveTenant: ResolveTenant
  accessTokens: Pick<AccessTokens, 'verify'>
  requireService: RequireService
}

const path = '/auth/introspect'

/**
 * Token introspection (RFC 7662) for the platform's own services: only this service can read
 * encrypted tokens. Takes a form, as the RFC requires, or JSON.
 */
export function introspectionRoute(deps: IntrospectionDeps): (router: Router) => void {
  return (router) => {
    router.post(path, introspect(deps))
    rememberMethod(router, path, 'post')
  }
}

function introspect({
  resolveTenant,
  accessTokens,
  requireService,
}: IntrospectionDeps): RequestHandler {
  return async (req, res) => {
    contextOf(res).operation = 'introspect'
    const tenant = await resolveTenant(req)
    requireService(req.headers.authorization)
    const token = tokenIn(req, String(await readBody(req, maxBytes)))
    const answer = await accessTokens
      .verify(tenant, token)
      .then((claims) => ({ active: true, token_type: 'Bearer', ...claims }), inactive)
    sendJson(res, 200, JSON.stringify(answer))
  }
}

/**
 * Gives no reason for an invalid token (RFC 7662, section 2.2), except `expired`: clients then
 * refresh.
 */
function inactive(err: unknown): { active: false; reason?: 'expired' } {
  if (!(err instanceof AppError)) throw err
  if (err.code === 'AUTH_TOKEN_EXPIRED') return { active: false, reason: 'expired' }
  if (err.code === 'AUTH_TOKEN_INVALID') return { active: false }
  throw err
}

const maxBytes = 32 * 1024

function tokenIn({ headers }: IncomingMessage, body: string): string {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()
  const token = type === 'application/json' ? fromJson(body) : fromForm(type, body)
  if (typeof token !== 'string' || token === '') {
    throw invalid([{ field: 'token', message: 'is required', rule: 'required' }])
  }
  return token
}

function fromForm(type: string | undefined, body: string): string | null {
  if (type === 'application/x-www-form-urlencoded') return new URLSearchParams(body).get('token')
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'The body must be a form or JSON')
}

function fromJson(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === 'object' && parsed !== null && 'token' in parsed ? parsed.token : null
  } catch {
    throw invalid([{ field: 'body', message: 'must be valid JSON', rule: 'invalid_json' }])
  }
}
