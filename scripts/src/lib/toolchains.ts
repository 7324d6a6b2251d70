import { spawnSync } from 'node:child_process'

/** What tests need besides Node, Java and Maven. */
export type Toolchain = 'python' | 'go' | 'helm' | 'promtool'

const probes = {
  python: {
    command: 'python3',
    args: ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'],
    needed: 'python3, version 3.11 or newer, with venv',
  },
  go: { command: 'go', args: ['version'], needed: 'go, version 1.22 or newer' },
  // Helm itself is built when it is not there, and so is what judges the chart.
  helm: { command: 'go', args: ['version'], needed: 'go, which builds Helm and kube-score,' },
  promtool: { command: 'go', args: ['version'], needed: 'go, which builds promtool,' },
} as const satisfies Record<Toolchain, object>

const optOut = 'TEST_WITHOUT'

/**
 * Whether `tool` may be used. One that is missing throws: only whoever names it in `TEST_WITHOUT`
 * (`TEST_WITHOUT=python,go`) leaves out what needs it, and is told so.
 */
export function hasToolchain(tool: Toolchain, env: NodeJS.ProcessEnv): boolean {
  if ((env[optOut] ?? '').split(',').includes(tool)) {
    console.warn(`${optOut} names ${tool}: what needs it is not tested`)
    return false
  }
  const { command, args, needed } = probes[tool]
  if (spawnSync(command, args, { stdio: 'ignore' }).status === 0) return true
  throw new Error(`${needed} is needed; ${optOut}=${tool} leaves out what needs it`)
}
