import type { Operation } from '@surehook/contracts/operation'
import { Problem } from '@surehook/contracts/problem'
import { reasonOf } from '@surehook/service-kit/errors'
import type * as z from 'zod'
import { Failure } from '../cli/command.ts'
import { causeOf } from '../lib/cause-of.ts'
import type { Platform } from '../lib/platform-client.ts'
import { visible } from '../output/visible.ts'

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined
/** Omit absent parts. All fields of `query` are sent as text. */
export type RequestOf<Op extends Operation> = {
  readonly [Part in 'params' | 'query' | 'body' as Op[Part] extends z.ZodType ? Part : never]:
    | InputOf<Op[Part]>
    | (Part extends 'query' ? Readonly<Record<string, string | undefined>> : never)
}
export type ReplyOf<Op extends Operation> = z.infer<Op['reply']['schema']>

type Parts = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

const timeoutMs = 60_000

/**
 * Calls one operation of the contract at the gateway as the administrator. Throws a `Failure` with
 * the violations if the request is refused.
 */
export async function callOperation<Op extends Operation>(
  platform: Platform,
  operation: Op,
  request: RequestOf<Op>,
): Promise<ReplyOf<Op>> {
  const { params = {}, query = {}, body } = request as Parts
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  )
  const url = `${platform.baseUrl}${path}${queryOf(query)}`
  const response = await ask(url, {
    method: operation.method.toUpperCase(),
    headers: {
      authorization: `Bearer ${platform.adminToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const text = await response.text()
  if (response.status !== operation.reply.status) throw refusalOf(response, text)
  return (text === '' ? undefined : JSON.parse(text)) as ReplyOf<Op>
}

function queryOf(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  const texts = given.map(([name, value]): [string, string] => [name, String(value)])
  return `?${new URLSearchParams(texts).toString()}`
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (err) {
    throw new Failure(`${new URL(url).origin} cannot be reached: ${reasonOf(causeOf(err))}`)
  }
}

/** Says why the platform refused a request, with its violations and its id. */
export function refusalOf(response: Response, text: string): Failure {
  const { success, data } = Problem.safeParse(parsed(text))
  if (!success) {
    return new Failure(
      `${response.status} from ${new URL(response.url).origin}, which is no answer of Surehook`,
    )
  }
  const { error, message, violations = [] } = data
  const requestId = response.headers.get('x-request-id')
  const lines = [
    visible(`${response.status} ${error}${message ? `: ${message}` : ''}`),
    ...violations.map((violation) => visible(`  ${violation.field}: ${violation.message}`)),
    ...(requestId === null ? [] : [visible(`  request ${requestId}`)]),
  ]
  const known = requestId === null ? {} : { requestId }
  return new Failure(lines.join('\n'), { status: response.status, ...known, ...data })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The caller reports text that is not JSON.
    return undefined
  }
}
