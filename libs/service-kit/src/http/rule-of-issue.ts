import { isViolationRule, type ViolationRule } from '@surehook/contracts/violation-rules'
import type * as z from 'zod'

type Issue = z.core.$ZodIssue

/**
 * Returns the code of the rule that a zod issue stands for. The issue must be made with
 * `reportInput`.
 */
export function ruleOf(issue: Issue): ViolationRule {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : 'invalid_type'
    case 'invalid_value':
      return issue.input === undefined ? 'required' : 'invalid_value'
    case 'too_small':
      return sizeRules(issue.origin).small
    case 'too_big':
      return sizeRules(issue.origin).large
    case 'invalid_union':
      return unionRule(issue)
    case 'custom':
      return customRule(issue)
    case 'unrecognized_keys':
      return 'unrecognized'
    case 'invalid_key':
      return 'invalid_name'
    case 'invalid_element':
      return 'invalid_value'
    case 'invalid_format':
    case 'not_multiple_of':
      return issue.code
  }
}

type Sizes = { small: ViolationRule; large: ViolationRule }

const ofText: Sizes = { small: 'too_short', large: 'too_long' }
const ofList: Sizes = { small: 'too_few', large: 'too_many' }
const ofNumber: Sizes = { small: 'too_small', large: 'too_large' }
const lists: ReadonlySet<string> = new Set(['array', 'set', 'map', 'object', 'record'])

function sizeRules(origin: string): Sizes {
  if (origin === 'string') return ofText
  return lists.has(origin) ? ofList : ofNumber
}

/** Returns the rule that all alternatives break, if it is the same one. */
function unionRule(issue: z.core.$ZodIssueInvalidUnion): ViolationRule {
  const [rule, ...others] = new Set(issue.errors.flat().map(ruleOf))
  if (issue.input === undefined) return 'required'
  return rule === undefined || others.length > 0 ? 'invalid_value' : rule
}

/** Returns the code that `ruled` stored. */
function customRule({ params }: z.core.$ZodIssueCustom): ViolationRule {
  const rule: unknown = params?.['rule']
  return isViolationRule(rule) ? rule : 'invalid_value'
}
