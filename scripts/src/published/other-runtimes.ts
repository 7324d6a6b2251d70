import { commandOf, hasToolchain } from '../lib/toolchains.ts'

/** Returns how the runtimes besides Node that are on this machine run a file, by their names. */
export function otherRuntimes(env: NodeJS.ProcessEnv): Map<string, readonly string[]> {
  const commands = {
    // Without the registry, so that it takes what npm has installed.
    deno: [commandOf('deno'), 'run', '--allow-all', '--no-remote'],
    bun: [commandOf('bun'), 'run'],
  }
  const names = (['deno', 'bun'] as const).filter((name) => hasToolchain(name, env))
  return new Map(names.map((name) => [name, commands[name]]))
}
