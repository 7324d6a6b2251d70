import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { cacheDir } from '../lib/paths.ts'
import { runCommand } from '../lib/run-command.ts'

export type GoTool = {
  name: string
  /** `helm.sh/helm/v3/cmd/helm` */
  package: string
  version: string
  /** Build tags, comma-separated. */
  tags?: string
}

/** On a slow machine that also runs the tests, a build takes 20 minutes. */
const installWithinMs = 2_400_000

/** The build without optimisation takes two thirds of the CPU. The programs run for seconds. */
const quickBuild = ['-ldflags=-s -w', '-gcflags=all=-N -l']

/** Returns a Go program, which is built once per version and kept in `.local/cache`. */
export async function goTool(tool: GoTool): Promise<string> {
  const { name, package: path, version, tags } = tool
  const dir = `${cacheDir}/go-tools/${name}-${version}`
  const binary = `${dir}/${name}`
  if (existsSync(binary)) return binary
  const partial = `${dir}.${process.pid}`
  await mkdir(partial, { recursive: true })
  const flags = [...quickBuild, ...(tags === undefined ? [] : [`-tags=${tags}`])]
  const built = await runCommand({
    args: ['go', 'install', ...flags, `${path}@${version}`],
    env: { GOBIN: partial },
    timeoutMs: installWithinMs,
  })
  if (!built.ok) throw new Error(`${name} cannot be built:\n${built.output}`)
  await rm(dir, { recursive: true, force: true })
  await rename(partial, dir)
  return binary
}

/** Returns whether a program on the path prints text that matches `expected`. */
export function onPath(command: string, args: readonly string[], expected: RegExp): boolean {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8' })
  return status === 0 && expected.test(stdout)
}
