import { runCommand } from './run-command.ts'
import type { StepResult } from './step.ts'

const canary = 'scripts/lint-canary'

/** One rule of each kind that a missing plugin, or a linter without types, would drop in silence. */
const mustBeFound = [
  'node(no-process-env)',
  'typescript(await-thenable)',
  'typescript(no-explicit-any)',
  'typescript(no-floating-promises)',
  'typescript(no-misused-promises)',
  'typescript(switch-exhaustiveness-check)',
]

/** Whether the linter still finds what it is trusted to find, in a file of deliberate faults. */
export async function checkLintCanary(): Promise<StepResult> {
  const { ok, output } = await runCommand({
    args: ['oxlint', '--type-aware', '--tsconfig', `${canary}/tsconfig.json`, '-f', 'json', canary],
  })
  const overlooked = mustBeFound.filter((rule) => !output.includes(`"code": "${rule}"`))
  if (!ok && overlooked.length === 0) return { passed: 1, failed: 0, output: '' }
  return { passed: 0, failed: 1, output: `the linter overlooks: ${overlooked.join(', ')}` }
}
