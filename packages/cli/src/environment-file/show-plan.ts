import { stringify } from 'yaml'
import { visible } from '../output/visible.ts'
import type { Change, Plan, Step } from './plan/steps.ts'

const signs = { create: '+', update: '~', delete: '-' } as const

export const stepName = ({ kind, name }: Step): string => `${kind} ${name}`

/** The difference as lines. It holds no value of a secret. */
export function planLines({ steps, refusals, left }: Plan): string[] {
  const lines = [
    ...steps.flatMap((step) => [
      `${signs[step.action]} ${stepName(step)}`,
      ...step.changes.map((change) => `    ${changeLine(change)}`),
    ]),
    ...(left.length === 0 ? [] : ['Not in the file, and left as it is:']),
    ...left.map((what) => `    ${what}`),
    ...(refusals.length === 0 ? [] : ['Impossible:']),
    ...refusals.map((what) => `    ${what}`),
    summaryOf(steps),
  ]
  return lines.map(visible)
}

function summaryOf(steps: readonly Step[]): string {
  if (steps.length === 0) return 'The environment is as the file says.'
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length
  return `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete.`
}

function changeLine(change: Change): string {
  if ('hidden' in change) {
    return `~ ${change.field}: (hidden${change.unknown ? ', too short to compare' : ''})`
  }
  const { field, before, after } = change
  if (before === null) return `+ ${field}: ${textOf(after)}`
  if (after === null) return `- ${field}: ${textOf(before)}`
  return `~ ${field}: ${textOf(before)} -> ${textOf(after)}`
}

const flow = { collectionStyle: 'flow', lineWidth: 0, aliasDuplicateObjects: false } as const

const textOf = (value: unknown): string => stringify(value, flow).trimEnd()

/** A step for `--json`, without what is sent: that may hold secrets. */
export const stepView = ({ kind, action, name, changes }: Step) => ({ action, kind, name, changes })
