import { mkdir, rm, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { onPath } from '../deploy/go-tool.ts'
import { version } from '../images/image-names.ts'
import { runCommand } from '../lib/run-command.ts'
import { hasToolchain } from '../lib/toolchains.ts'
import { type Artefact, artefactTable, releaseDir as dir } from '../release/dry/artefact.ts'
import {
  makeImages,
  packAll,
  packChart,
  requireOneVersion,
  whyNoImages,
  writeSbom,
} from '../release/dry/release-parts.ts'
import { say, step } from '../start/progress.ts'

/**
 * `npm run release:dry [-- --require-all --version 1.2.3]`: makes everything that a release
 * publishes, and publishes nothing. It writes the packages, the chart, an SBOM, and a list of all
 * with sizes and digests to `.local/release`. The images stay in Docker. What a missing tool would
 * make is left out; with `--require-all` that is a failure.
 */
const { values } = parseArgs({
  options: { 'require-all': { type: 'boolean' }, version: { type: 'string' } },
})
const artefacts: Artefact[] = []

try {
  if (values.version !== undefined && values.version !== version()) {
    throw new Error(`the version is ${version()}, not ${values.version}`)
  }
  await requireOneVersion(version())
  const missing = { chart: whyNoHelm(), images: await whyNoImages(process.env) }
  const leftOut = Object.entries(missing).flatMap(([what, why]) => (why ? `${what}: ${why}` : []))
  if (values['require-all'] && leftOut.length > 0) throw new Error(leftOut.join('\n'))
  for (const line of leftOut) say(`left out: ${line}`)
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  await step('build', () => npm('build'))
  await make('packages', () => packAll(`${dir}/packages`, version()))
  await step('the packages install and run', () => npm('check:packages'))
  await make('SBOM', async () => [await writeSbom(`${dir}/sbom.cdx.json`)])
  if (!missing.chart) await make('chart', async () => [await packChart(`${dir}/chart`, version())])
  if (!missing.images) await make('images', () => makeImages(process.env))
  const list = { version: version(), leftOut, artefacts }
  await writeFile(`${dir}/release.json`, `${JSON.stringify(list, null, 2)}\n`)
  for (const line of artefactTable(artefacts)) say(line)
  say(`.local/release has version ${version()}; nothing was published`)
} catch (err) {
  console.error(err instanceof Error ? err.message : err)
  process.exitCode = 1
}

async function make(name: string, work: () => Promise<Artefact[]>): Promise<void> {
  artefacts.push(...(await step(name, work)))
}

/** Helm is built with Go if it is missing. */
function whyNoHelm(): string | null {
  const isThere = onPath('helm', ['version', '--template', '{{.Version}}'], /^v3\./)
  return isThere || hasToolchain('helm', process.env)
    ? null
    : 'neither Helm 3 nor Go is on this machine'
}

async function npm(script: string): Promise<void> {
  const { ok, output } = await runCommand({ args: ['npm', 'run', '-s', script] })
  if (!ok) throw new Error(`npm run ${script} failed:\n${output.trim()}`)
}
