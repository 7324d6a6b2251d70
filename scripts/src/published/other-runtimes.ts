import { commandOf, hasToolchain } from '../lib/toolchains.ts'

/** Returns, by name, the command with which each installed runtime besides Node runs a file. */
export function otherRuntimes(env: NodeJS.ProcessEnv): Map<string, readonly string[]> {
  const commands = {
    // No module over HTTP: packages come from `node_modules`.
    deno: [commandOf('deno'), 'run', '--allow-all', '--no-remote'],
    bun: [commandOf('bun'), 'run'],
  }
  const names = (['deno', 'bun'] as const).filter((name) => hasToolchain(name, env))
  return new Map(names.map((name) => [name, commands[name]]))
}
