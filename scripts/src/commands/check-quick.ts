import { parseArgs } from 'node:util'
import { changedFiles } from '../check/changed-files.ts'
import { jestCommand } from '../check/jest-step.ts'
import { commandStep, runSteps, type Step } from '../check/step.ts'

/**
 * `npm run check:quick`: checks what you changed since the last commit. `-- --since main` checks
 * what changed since another commit.
 */
const { values } = parseArgs({ options: { since: { type: 'string', default: 'HEAD' } } })
const changed = await changedFiles(values.since)
const sources = changed.filter((file) => /\.(ts|tsx|mjs|cjs)$/.test(file))
const ofConsole = changed.some((file) => /^(console|contracts|packages\/client)\//.test(file))

if (changed.length === 0) {
  console.log(`nothing changed since ${values.since}: check:quick -- --since <commit>`)
} else {
  console.log(`${changed.length} files changed since ${values.since}`)
  const total = await runSteps(
    // The linter reads the types of other packages from their `dist`.
    [commandStep('build', ['tsc', '-b'])],
    [
      commandStep('format', ['npm', 'run', '-s', 'check:format']),
      commandStep('types', ['tsc', '-p', 'tsconfig.check.json']),
      ...(ofConsole ? [commandStep('console types', ['tsc', '-p', 'console'])] : []),
    ],
    sources.length === 0 ? [] : [lintStep(), unitStep()],
  )
  process.exitCode = total.failed === 0 ? 0 : 1
}

function lintStep(): Step {
  return {
    ...commandStep('lint', ['npm', 'run', '-s', 'check:lint', '--', ...sources]),
    needs: ['build'],
  }
}

function unitStep(): Step {
  const which = ['--selectProjects', 'unit', '--passWithNoTests', '--findRelatedTests', ...sources]
  return commandStep('unit', [...jestCommand, ...which])
}
