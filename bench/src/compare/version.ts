import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repoRoot } from '@surehook/scripts/lib/paths'
import type { Mode } from '@surehook/scripts/system/service-catalog'
import type { Version } from '@surehook/scripts/versions/check-out'
import { startSystem } from '../platform/start-system.ts'
import type { ScenarioFigures } from './medians.ts'

/** Starts the version's system, runs this checkout's scenarios on it, and stops it. */
export async function measure(
  { dir, mode }: Pick<Version, 'dir'> & { mode: Mode },
  benchArgs: readonly string[],
): Promise<ScenarioFigures> {
  await using _system = await startSystem(dir, mode)
  const results = await mkdtemp(join(tmpdir(), 'surehook-compare-'))
  try {
    const file = join(results, 'printed.json')
    const entry = `${repoRoot}/bench/src/main.ts`
    const args = ['--conditions=source', entry, ...benchArgs, '--at', dir, '--json', file]
    const bench = spawn(process.execPath, args, { stdio: 'inherit' })
    const [code] = (await once(bench, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`the bench ended with ${code}`)
    return JSON.parse(await readFile(file, 'utf8')) as ScenarioFigures
  } finally {
    await rm(results, { recursive: true })
  }
}
