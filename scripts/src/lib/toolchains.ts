import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { repoRoot } from './paths.ts'

/** Tools that tests need besides Node, Java and Maven. */
export type Toolchain = 'python' | 'go' | 'helm' | 'promtool' | 'browser' | 'deno' | 'bun'

/**
 * Returns the program that npm installed (Linux x64 only), otherwise its name, to be found on the
 * `PATH`.
 */
function programOf(name: string, file: string): string {
  const ofNpm = `${repoRoot}/node_modules/${file}`
  return existsSync(ofNpm) ? ofNpm : name
}

const probes = {
  python: {
    command: 'python3',
    args: ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'],
    needed: 'python3, version 3.11 or newer, with venv',
  },
  go: { command: 'go', args: ['version'], needed: 'go, version 1.24 or newer' },
  // If Helm and kube-score are missing, they are built with go.
  helm: { command: 'go', args: ['version'], needed: 'go, which builds Helm and kube-score,' },
  promtool: { command: 'go', args: ['version'], needed: 'go, which builds promtool,' },
  // One of npm is unpacked by the probe at its first use.
  browser: {
    command: process.execPath,
    args: ['--conditions=source', `${repoRoot}/scripts/src/browser/probe.ts`],
    needed: 'a browser (that of npm needs Linux on x64, CHROME_PATH names another)',
  },
  deno: {
    command: programOf('deno', '@deno/linux-x64-glibc/deno'),
    args: ['eval', 'Deno.exit(Number.parseInt(Deno.version.deno) < 2 ? 1 : 0)'],
    needed: 'deno, version 2 or newer',
  },
  bun: {
    command: programOf('bun', '@oven/bun-linux-x64/bin/bun'),
    args: ['--eval', 'process.exit(Number.parseInt(Bun.version) < 1 ? 1 : 0)'],
    needed: 'bun, version 1 or newer',
  },
} as const satisfies Record<Toolchain, object>

/**
 * Returns whether `tool` is installed; otherwise the tests that need it are skipped. With
 * `TEST_REQUIRE=all` a missing tool throws, so that CI skips nothing unnoticed.
 */
export function hasToolchain(tool: Toolchain, env: NodeJS.ProcessEnv): boolean {
  if (env['TEST_REQUIRE'] === 'all') requireToolchain(tool, env)
  return isInstalled(tool, env)
}

/** Returns the program that the probe of `tool` starts. */
export const commandOf = (tool: Toolchain): string => probes[tool].command

/** Throws the name of the tool to install if `tool` is missing. */
export function requireToolchain(tool: Toolchain, env: NodeJS.ProcessEnv): void {
  if (!isInstalled(tool, env)) throw new Error(`${probes[tool].needed} is needed`)
}

function isInstalled(tool: Toolchain, env: NodeJS.ProcessEnv): boolean {
  const { command, args } = probes[tool]
  return spawnSync(command, args, { stdio: 'ignore', env }).status === 0
}

/** Returns one line about the tests skipped because some of `tools` are missing, or `null`. */
export function missingToolchains(
  env: NodeJS.ProcessEnv,
  tools: readonly Toolchain[],
): string | null {
  const missing = tools.filter((tool) => !isInstalled(tool, env))
  if (missing.length === 0) return null
  const needed = new Set(missing.map((tool) => probes[tool].needed))
  return `not tested (${missing.join(', ')}): ${[...needed].join('; ')} is not on this machine`
}
