import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { chartDir, findHelm } from '../../deploy/helm-tools.ts'
import { buildImages } from '../../images/build-images.ts'
import { imageNames, tagOf } from '../../images/image-names.ts'
import { runCommand } from '../../lib/run-command.ts'
import { packPackage, publicPackages, workspaces } from '../pack-package.ts'
import { type Artefact, artefactOf } from './artefact.ts'

/** Throws the names of everything whose version is not `version`. */
export async function requireOneVersion(version: string): Promise<void> {
  const chart = parse(await readFile(`${chartDir}/Chart.yaml`, 'utf8')) as Record<string, string>
  const versions = new Map([
    ...Array.from(await workspaces(), ([name, one]) => [name, one.version] as const),
    ['the chart', chart['version']],
    ["the chart's appVersion", chart['appVersion']],
  ])
  const others = [...versions].filter(([, found]) => found !== version)
  if (others.length === 0) return
  const list = others.map(([name, found]) => `${name}: ${found}`)
  throw new Error(`not all have the version ${version}:\n${list.join('\n')}`)
}

/** Packs every published package into `dir`, and checks the packed manifests. */
export async function packAll(dir: string, version: string): Promise<Artefact[]> {
  await mkdir(dir, { recursive: true })
  const known = await workspaces()
  const packed: Artefact[] = []
  for (const name of await publicPackages()) {
    const file = await packPackage(name, dir)
    const manifest = JSON.parse(await run(['tar', '-xzOf', file, 'package/package.json'])) as {
      version: string
      dependencies?: Record<string, string>
    }
    const wrong = Object.entries(manifest.dependencies ?? {}).filter(
      ([one, range]) => known.has(one) && (range !== version || known.get(one)?.private === true),
    )
    if (manifest.version !== version || wrong.length > 0) {
      throw new Error(`${file} is not of version ${version}: ${JSON.stringify(manifest)}`)
    }
    packed.push(await artefactOf('package', file))
  }
  return packed
}

/** Lists what the repository installs to run, as CycloneDX. */
export async function writeSbom(file: string): Promise<Artefact> {
  const args = ['npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only']
  const sbom = JSON.parse(await run(args)) as object
  await writeFile(file, `${JSON.stringify(sbom, null, 2)}\n`)
  return artefactOf('sbom', file)
}

/** Packs the chart into `dir`. */
export async function packChart(dir: string, version: string): Promise<Artefact> {
  await run([await findHelm(), 'package', chartDir, '--destination', dir])
  return artefactOf('chart', `${dir}/surehook-${version}.tgz`)
}

/** Builds every image. They stay in Docker. */
export async function makeImages(env: NodeJS.ProcessEnv): Promise<Artefact[]> {
  await buildImages(imageNames, env)
  const made = imageNames.map(async (image): Promise<Artefact> => {
    const name = tagOf(image, env)
    const inspect = ['docker', 'image', 'inspect', '--format', '{{.Size}} {{.Id}}', name]
    const [bytes, digest = ''] = (await run(inspect)).trim().split(' ')
    return { kind: 'image', name, bytes: Number(bytes), digest }
  })
  return Promise.all(made)
}

/** Returns why Docker cannot build here, or `null`. */
export async function whyNoImages(env: NodeJS.ProcessEnv): Promise<string | null> {
  const host = env['DOCKER_HOST']
  if (host && !/^(unix|npipe):/.test(host)) return 'DOCKER_HOST is another machine'
  const { ok } = await runCommand({ args: ['docker', 'info'], timeoutMs: 10_000 })
  return ok ? null : 'Docker does not answer'
}

async function run(args: string[]): Promise<string> {
  const { ok, output } = await runCommand({ args })
  if (!ok) throw new Error(`${args.join(' ')} failed:\n${output.trim()}`)
  return output
}
