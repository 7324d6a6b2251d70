import {
  NotFoundError,
  type RequestOptions,
  type Subscription,
  type Surehook,
} from '@surehook/client'
import { Failure } from '../cli/command.ts'
import type { Step } from './plan/steps.ts'
import { hasRecords } from './read-state.ts'

export type Progress = {
  readonly done: readonly Step[]
  /** The step that was refused, and why. */
  readonly failed?: { readonly step: Step; readonly error: unknown }
  readonly notDone: readonly Step[]
}

export type RunOptions = {
  readonly request: RequestOptions
  readonly allowDataLoss: boolean
  onDone(step: Step, warnings: readonly string[]): void
}

/**
 * Carries out the steps until one is refused. Each step is one call that happens completely or not
 * at all, so a later run continues from any point.
 */
export async function runSteps(
  surehook: Surehook,
  steps: readonly Step[],
  options: RunOptions,
): Promise<Progress> {
  for (const [index, step] of steps.entries()) {
    try {
      options.onDone(step, await runStep(surehook, step, options))
    } catch (error) {
      const done = steps.slice(0, index)
      return { done, failed: { step, error }, notDone: steps.slice(index + 1) }
    }
  }
  return { done: steps, notDone: [] }
}

/** @returns the warnings of the API */
async function runStep(
  surehook: Surehook,
  step: Step,
  { request, allowDataLoss }: RunOptions,
): Promise<string[]> {
  const { webhooks, tables, admin } = surehook
  switch (step.kind) {
    case 'role':
      await admin.roles.create(step.input, request)
      return []
    case 'table':
      if (step.action !== 'delete') {
        await tables.put(step.name, step.input, request)
        return []
      }
      // A record may have come since the plan was made.
      if (!allowDataLoss && (await hasRecords(surehook, step.name, request)) !== false) {
        throw new Failure(`table ${step.name} has records; --allow-data-loss deletes them`)
      }
      await unlessGone(tables.delete(step.name, request))
      return []
    case 'notify':
      await admin.environments.put({ notify: step.input }, request)
      return []
    case 'trustedIssuers':
      await admin.environments.put({ trustedIssuers: step.input }, request)
      return []
    case 'subscription':
      if (step.action === 'create') return warningsOf(await webhooks.create(step.input, request))
      if (step.action === 'update') {
        return warningsOf(await webhooks.update(step.id, step.input, request))
      }
      await unlessGone(webhooks.delete(step.id, request))
      return []
  }
}

/** Somebody else, or a repeated request, deleted it. */
async function unlessGone(deleting: Promise<void>): Promise<void> {
  try {
    await deleting
  } catch (err) {
    const isGone = ['TABLE_NOT_FOUND', 'WEBHOOK_NOT_FOUND']
    if (!(err instanceof NotFoundError && isGone.includes(err.code))) throw err
  }
}

const warningsOf = ({ warnings = [] }: Subscription): string[] =>
  warnings.map(({ field, message }) => `${field} ${message}`)
