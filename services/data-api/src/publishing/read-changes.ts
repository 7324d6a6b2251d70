import {
  ChangeInput,
  cloudEventBatchType,
  cloudEventType,
  maxPublishedChanges,
} from '@surehook/contracts/http/data/changes'
import { numberFault } from '@surehook/contracts/json/exact-json'
import type { RuledViolation } from '@surehook/contracts/problem'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import { invalid, maxViolations } from '@surehook/service-kit/errors'
import { mediaTypeOf } from '@surehook/service-kit/http/json-body'
import type { ApiRequest } from '@surehook/service-kit/http/request/request-context'
import { parsePart } from '@surehook/service-kit/http/violations'
import { binaryEvent, binaryName, isBinaryEvent } from './binary-event.ts'
import type { ChangeDraft, NameOf } from './change-draft.ts'
import { draftOfCloudEvent } from './cloud-events.ts'

/** A change, and the function that names its fields as the request does. */
export type ReadChange = { change: ChangeInput; nameOf: NameOf }

/**
 * Returns the changes of a request. Its headers tell whether it holds changes, CloudEvents or one
 * binary CloudEvent. Throws one error with the faults of all changes.
 */
export function readChanges({
  headers,
  body,
}: {
  headers: ApiRequest['headers']
  body: unknown
}): ReadChange[] {
  const type = mediaTypeOf({ headers })
  const changes: ReadChange[] = []
  const violations: RuledViolation[] = []
  for (const draft of draftsOf(type, headers, body)) {
    const read = readChange(draft)
    if (Array.isArray(read)) violations.push(...read)
    else changes.push(read)
    if (violations.length >= maxViolations) break
  }
  if (violations.length > 0) throw invalid(violations.slice(0, maxViolations))
  return changes
}

function draftsOf(type: string, headers: ApiRequest['headers'], body: unknown): ChangeDraft[] {
  if (type === cloudEventType) return [draftOfCloudEvent(objectOf(body), (field) => field)]
  if (type === cloudEventBatchType) return listed(listOf(body), draftOfCloudEvent)
  if (isBinaryEvent(headers)) return [draftOfBinary(headers, body)]
  if (Array.isArray(body)) return listed(listOf(body), draftOfChange)
  return [draftOfChange(objectOf(body), (field) => field)]
}

const draftOfChange = (input: unknown, nameOf: NameOf): ChangeDraft => ({
  faults: [],
  input,
  nameOf,
})

function draftOfBinary(headers: ApiRequest['headers'], body: unknown): ChangeDraft {
  const { event, faults } = binaryEvent(headers, body)
  if (faults.length > 0) return { faults, input: undefined, nameOf: binaryName }
  return draftOfCloudEvent(event, binaryName)
}

function listed(items: readonly unknown[], draftOf: typeof draftOfChange): ChangeDraft[] {
  return items.map((item, index) =>
    draftOf(item, (field) => (field === 'body' ? `${index}` : `${index}.${field}`)),
  )
}

function readChange({ faults, input, nameOf }: ChangeDraft): ReadChange | RuledViolation[] {
  if (faults.length > 0) return [...faults]
  const violations: RuledViolation[] = []
  const change = parsePart('body', ChangeInput, { input, violations })
  if (change === undefined) return named(violations, nameOf)
  const inexact = numberFault(change.record)
  if (inexact === null) return { change, nameOf }
  const { fault: message, path } = inexact
  const field = ['record', ...path].join('.')
  return named([{ field, message, rule: 'unfit_value' }], nameOf)
}

const named = (violations: readonly RuledViolation[], nameOf: NameOf): RuledViolation[] =>
  violations.map((violation) => ({ ...violation, field: nameOf(violation.field) }))

const bodyFault = (message: string, rule: ViolationRule) =>
  invalid([{ field: 'body', message, rule }])

function objectOf(body: unknown): unknown {
  if (body === undefined) throw bodyFault('is required', 'required')
  if (Array.isArray(body)) throw bodyFault('must be an object', 'invalid_type')
  return body
}

function listOf(body: unknown): unknown[] {
  if (body === undefined) throw bodyFault('is required', 'required')
  if (!Array.isArray(body)) throw bodyFault('must be a list', 'invalid_type')
  if (body.length < 1 || body.length > maxPublishedChanges) {
    const rule = body.length < 1 ? 'too_few' : 'too_many'
    throw bodyFault(`must hold 1 to ${maxPublishedChanges} changes`, rule)
  }
  return body
}
