import { hash } from 'node:crypto'
import type { ManagementTokenState } from '@surehook/contracts/events'
import type { ManagementRight } from '@surehook/contracts/rights'
import { AppError } from '@surehook/service-kit/errors'
import type { RequestContext } from '@surehook/service-kit/http/request/request-context'
import { noCredential } from './no-credential.ts'

/** What a call wants to do: where, and with which right. */
export type ManagementUse = { projectId: string; environment: string; right: ManagementRight }

type TokenScope = Pick<ManagementTokenState, 'projectId' | 'environments' | 'rights'>

const bearer = /^Bearer +(mt_[A-Za-z0-9_-]{43}) *$/i

/** Keeps only the hash of a token. A malformed token is refused without a search for it. */
export function tokenHash(authorization: string | undefined): string {
  if (!authorization) throw noCredential('MANAGEMENT_TOKEN_INVALID', 'management token')
  const token = bearer.exec(authorization)?.[1]
  if (token === undefined) throw tokenInvalid()
  return hash('sha256', token)
}

/** Unknown, expired and revoked tokens get the same answer. */
export const tokenInvalid = () =>
  new AppError('MANAGEMENT_TOKEN_INVALID', 'The management token is not valid')

export function isExpired(
  { expiresAt }: Pick<ManagementTokenState, 'expiresAt'>,
  nowMs: number,
): boolean {
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs
}

/** Throws FORBIDDEN unless the token is for the project and environment and has the right. */
export function requireUse(token: TokenScope, use: ManagementUse): void {
  requireTenant(token, use)
  if (!hasRight(token, use)) {
    throw new AppError('FORBIDDEN', `The management token has no right "${use.right}"`)
  }
}

/** Throws FORBIDDEN unless the token is for the project and environment. */
export function requireTenant(token: TokenScope, tenant: Omit<ManagementUse, 'right'>): void {
  if (isOfTenant(token, tenant)) return
  throw new AppError('FORBIDDEN', 'The token is not for this project and environment')
}

export const allowsUse = (token: TokenScope, use: ManagementUse): boolean =>
  isOfTenant(token, use) && hasRight(token, use)

function isOfTenant(
  token: TokenScope,
  { projectId, environment }: Omit<ManagementUse, 'right'>,
): boolean {
  if (token.projectId !== projectId) return false
  return token.environments === null || token.environments.includes(environment)
}

const hasRight = ({ rights }: TokenScope, { right }: ManagementUse) =>
  rights === null || rights.includes(right)

/** The right that the operation of a request needs. Its contract names it. */
export function requiredRight({
  right,
  operation,
}: Pick<RequestContext, 'right' | 'operation'>): ManagementRight {
  if (right === undefined) throw new Error(`The operation ${operation} takes no management token`)
  return right
}
