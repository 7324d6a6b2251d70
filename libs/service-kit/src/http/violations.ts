import type { RuledViolation } from '@surehook/contracts/problem'
import type { ViolationRule } from '@surehook/contracts/violation-rules'
import * as z from 'zod'
import { closestAlternative } from '../closest-alternative.ts'
import { maxViolations } from '../errors.ts'
import { explainIssue } from '../explain-issue.ts'
import { ruleOf } from './rule-of-issue.ts'

/** Part of the request with a value. It decides how faults of the value are named. */
export type Part = 'params' | 'query' | 'headers' | 'body'

const maxFieldLength = 200

/**
 * Parses one part of a request. Adds its faults to `violations`, with the names that the client
 * sent.
 */
export function parsePart<Schema extends z.ZodType>(
  part: Part,
  schema: Schema,
  { input, violations }: { input: unknown; violations: RuledViolation[] },
): z.output<Schema> | undefined {
  // `ruleOf` needs the input to tell a missing value from a value of another type.
  const result = schema.safeParse(input, { error: explainIssue, reportInput: true })
  if (result.success) return result.data
  for (const issue of result.error.issues) collect(part, issue, violations)
  return undefined
}

/** Returns the fields of a body that are valid on their own. */
export function soundFields<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Partial<z.output<Schema>> {
  const sound: Record<string, unknown> = {}
  if (schema instanceof z.ZodObject && isRecord(input)) {
    for (const [name, field] of Object.entries<z.ZodType>(schema.shape)) {
      const result = soundValue(field, input[name])
      if (result.success) sound[name] = result.data
    }
  }
  return sound as Partial<z.output<Schema>>
}

/** Keeps the valid fields of a nested object, if its schema allows the others to be absent. */
function soundValue(schema: z.ZodType, input: unknown): z.ZodSafeParseResult<unknown> {
  const result = schema.safeParse(input)
  const group = unwrapped(schema)
  if (result.success || !(group instanceof z.ZodObject) || !isRecord(input)) return result
  const fields = Object.entries<z.ZodType>(group.shape)
  const sound = fields.filter(
    ([name, field]) => name in input && field.safeParse(input[name]).success,
  )
  return schema.safeParse(Object.fromEntries(sound.map(([name]) => [name, input[name]])))
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function collect(part: Part, issue: z.core.$ZodIssue, violations: RuledViolation[]): void {
  for (const { path, message, rule } of leaves(issue)) {
    if (violations.length >= maxViolations) return
    violations.push({ field: fieldName(part, path), message, rule })
  }
}

type Leaf = { path: readonly PropertyKey[]; message: string; rule: ViolationRule }

/** Splits issues that stand for several faults, or for a nested one, into those. */
function leaves(issue: z.core.$ZodIssue): Leaf[] {
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...issue.path, key],
        message: 'is not a known field',
        rule: 'unrecognized',
      }))
    case 'invalid_key':
      return issue.issues.map(({ message }) => ({
        path: issue.path,
        message: `name ${message}`,
        rule: 'invalid_name',
      }))
    case 'invalid_element':
      return issue.issues.flatMap(leaves).map((leaf) => below(issue.path, leaf))
    case 'invalid_union':
      return unionLeaves(issue)
    default:
      return [{ path: issue.path, message: issue.message, rule: ruleOf(issue) }]
  }
}

const below = (path: readonly PropertyKey[], leaf: Leaf): Leaf => ({
  ...leaf,
  path: [...path, ...leaf.path],
})

/** Explains the alternative that the value came closest to. */
function unionLeaves(issue: z.core.$ZodIssueInvalidUnion): Leaf[] {
  const closest = closestAlternative(issue.errors.map((issues) => issues.flatMap(leaves)))
  if (closest !== undefined) return closest.map((leaf) => below(issue.path, leaf))
  const messages = new Set(issue.errors.flat().map(({ message }) => message))
  const message = messages.size === 0 ? issue.message : [...messages].join(', or ')
  return [{ path: issue.path, message, rule: ruleOf(issue) }]
}

function fieldName(part: Part, path: readonly PropertyKey[]): string {
  const [first, ...rest] = path.map(String)
  if (first === undefined) return part
  const name = part === 'headers' ? [headerName(first), ...rest] : [first, ...rest]
  return name.join('.').slice(0, maxFieldLength)
}

/** `idempotency-key` → `Idempotency-Key`. Names without a hyphen stay unchanged. */
export function headerName(name: string): string {
  if (!name.includes('-')) return name
  return name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
