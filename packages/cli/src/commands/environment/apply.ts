import type { Surehook } from '@surehook/client'
import { reasonOf } from '@surehook/service-kit/errors'
import {
  type ExitCode,
  exitCodes,
  Failure,
  type OptionSpecs,
  UsageError,
} from '../../cli/command.ts'
import { parseFile } from '../../environment-file/file/parse-file.ts'
import { wishesOf } from '../../environment-file/file/wishes.ts'
import { makePlan } from '../../environment-file/plan/plan.ts'
import type { Plan } from '../../environment-file/plan/steps.ts'
import { readState } from '../../environment-file/read-state.ts'
import { type Progress, runSteps } from '../../environment-file/run-steps.ts'
import { planLines, stepName, stepView } from '../../environment-file/show-plan.ts'
import { confirm } from '../../lib/input/confirm.ts'
import { readStdin, textOf } from '../../lib/input/read-input.ts'
import { explained } from '../../output/explain-error.ts'
import { visible } from '../../output/visible.ts'
import { adminTokenOptions, adminTokenVariables, findAdminToken } from '../../tenant/admin-token.ts'
import { clientOf, findGateway } from '../../tenant/tenant-client.ts'
import { type TenantCall, tenantCommand } from '../../tenant/tenant-command.ts'

const options = {
  'dry-run': { type: 'boolean', help: 'only print the difference' },
  prune: { type: 'boolean', help: 'delete the tables and webhooks that the file lacks' },
  'allow-data-loss': { type: 'boolean', help: 'with --prune: delete tables with their records' },
  yes: { type: 'boolean', help: 'do not ask' },
  ...adminTokenOptions,
} as const satisfies OptionSpecs

type ApplyCall = TenantCall<typeof options, 'file'>

export const applyCommand = tenantCommand({
  name: 'apply',
  summary: 'Change an environment to what a file says',
  details: [
    'Prints the difference, asks, and carries it out: roles, tables, subscriptions, notify and',
    'trustedIssuers. A file named "-" is standard input. Secrets come from variables, such as',
    '${BILLING_SECRET}; none is printed. A second run changes nothing. What the file does not name stays,',
    'unless you say --prune. The command stops at the first refusal and says what was done. Run it again',
    'to continue.',
    'With --dry-run, the exit code is 0 without a difference and 4 with one.',
    'For notify and trustedIssuers it needs the administration token too, of --admin-token-file or',
    'SUREHOOK_ADMIN_TOKEN.',
  ].join('\n'),
  examples: ['apply surehook.yaml --dry-run', 'apply surehook.yaml --prune --yes'],
  positionals: ['file'],
  options,
  variables: adminTokenVariables,
  async act(call) {
    const { values, env, tenant, request } = call
    const wishes = wishesOf(parseFile(await contentOf(call), nameOf(call)), env)
    const { notify, trustedIssuers } = wishes
    const isOfOperator = notify !== undefined || trustedIssuers !== undefined
    const surehook = isOfOperator ? operatorOf(call) : call.surehook
    const { prune, 'allow-data-loss': allowDataLoss } = values
    const state = await readState(surehook, wishes, { prune, request })
    const plan = makePlan(wishes, state, { prune, allowDataLoss })
    for (const line of planLines(plan)) (call.json ? call.note : call.out)(line)
    if (plan.refusals.length > 0) return refuse(call, plan)
    if (values['dry-run'] || plan.steps.length === 0) return end(call, plan)
    const where = `${tenant.project}/${tenant.environment}`
    if (!values.yes && !(await confirm(call, `Change ${where}?`))) {
      throw new Failure('nothing was done')
    }
    return carryOut(call, surehook, plan)
  },
})

/** The client of the file's owner, who also has the administration token. */
function operatorOf({ tenant, values, env }: ApplyCall): Surehook {
  const adminToken = findAdminToken(values, env, findGateway(values, env))
  if (adminToken === undefined) {
    throw new UsageError(
      'the file has notify or trustedIssuers, which need the administration token: ' +
        'SUREHOOK_ADMIN_TOKEN or --admin-token-file',
    )
  }
  return clientOf(tenant, { adminToken })
}

const nameOf = ({ words }: ApplyCall): string =>
  words.file === '-' ? 'standard input' : words.file

async function contentOf(call: ApplyCall): Promise<string> {
  const { file } = call.words
  return file === '-' ? readStdin(call, 'a file') : textOf(file)
}

function refuse(call: ApplyCall, plan: Plan): ExitCode {
  printJson(call, plan, { done: [], notDone: plan.steps })
  return exitCodes.wrong
}

function end(call: ApplyCall, plan: Plan): ExitCode {
  printJson(call, plan, { done: [], notDone: plan.steps })
  return plan.steps.length === 0 ? exitCodes.ok : exitCodes.differs
}

async function carryOut(call: ApplyCall, surehook: Surehook, plan: Plan): Promise<ExitCode> {
  const progress = await runSteps(surehook, plan.steps, {
    request: call.request,
    allowDataLoss: call.values['allow-data-loss'],
    onDone(step, warnings) {
      call.note(`${step.action}d ${stepName(step)}`)
      for (const warning of warnings) call.note(visible(`    warning: ${warning}`))
    },
  })
  const { failed, notDone } = progress
  if (failed === undefined) {
    printJson(call, plan, progress)
    return exitCodes.ok
  }
  const error = explained(failed.error, call.tenant.baseUrl)
  printJson(call, plan, progress, error)
  call.note(`failed: ${failed.step.action} ${stepName(failed.step)}`)
  call.note(reasonOf(error))
  for (const step of notDone) call.note(`not done: ${step.action} ${stepName(step)}`)
  call.note('Run the command again to continue.')
  return error instanceof Failure ? error.exitCode : exitCodes.wrong
}

function printJson(call: ApplyCall, plan: Plan, progress: Progress, error?: unknown): void {
  if (!call.json) return
  const { done, failed, notDone } = progress
  const facts = error instanceof Failure ? error.facts : {}
  const document = {
    done: done.map(stepView),
    ...(failed && { failed: { ...stepView(failed.step), message: reasonOf(error), ...facts } }),
    notDone: notDone.map(stepView),
    left: plan.left,
    refusals: plan.refusals,
  }
  call.out(JSON.stringify(document, null, 2))
}
