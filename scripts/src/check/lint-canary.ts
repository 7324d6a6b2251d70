import { runCommand } from '../lib/run-command.ts'
import type { StepResult } from './step.ts'

const canary = 'scripts/lint-canary'

/**
 * One rule per plugin, because a missing plugin or missing type information disables rules
 * silently.
 */
const mustBeFound = [
  'eslint(id-denylist)',
  'node(no-process-env)',
  'typescript(await-thenable)',
  'typescript(no-explicit-any)',
  'typescript(no-floating-promises)',
  'typescript(no-misused-promises)',
  'typescript(switch-exhaustiveness-check)',
]

/** Checks that the linter finds the deliberate faults of the canary file. */
export async function checkLintCanary(): Promise<StepResult> {
  const { ok, output } = await runCommand({
    args: ['oxlint', '--type-aware', '--tsconfig', `${canary}/tsconfig.json`, '-f', 'json', canary],
  })
  const overlooked = mustBeFound.filter((rule) => !output.includes(`"code": "${rule}"`))
  if (!ok && overlooked.length === 0) return { passed: 1, failed: 0, output: '' }
  return { passed: 0, failed: 1, output: `the linter overlooks: ${overlooked.join(', ')}` }
}
