import { mkdir, rm, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import { findHelm } from '@surehook/scripts/deploy/helm-tools'
import { localDir, repoRoot } from '@surehook/scripts/lib/paths'
import { indented } from '../support/surehook.ts'
import { chapters, namespaces } from './chapters.ts'
import { openPage, readBlocks } from './page.ts'
import { openShell, type Shell } from './shell.ts'

/**
 * `npm run rehearse -- kubernetes`: runs docs/operate/kubernetes.md command by command in a test
 * cluster, under load where an operator has load. Exits with 1 if a command fails, or if anything
 * is lost, repeated or refused.
 */
const usage = `npm run rehearse -- kubernetes --context <name> [--registry registry.example.com] [--tag 0.2.0]
                              [--from-tag 0.2.0] [--pod-cidr 10.244.0.0/16] [--keep]
--context: of kubectl's, that of a cluster for trying things in. The namespaces ${namespaces.join(', ')}
are made there and deleted in the end, unless --keep. It pulls <registry>/surehook/* and the public images of
docker-compose.yml. --from-tag: images of the version that is installed first.`

const { values: options } = parseArgs({
  options: {
    context: { type: 'string' },
    registry: { type: 'string', default: 'registry.example.com' },
    tag: { type: 'string', default: '0.2.0' },
    'from-tag': { type: 'string' },
    'pod-cidr': { type: 'string', default: '10.244.0.0/16' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const dir = `${localDir}/kubernetes`
const startedAt = performance.now()
const say = (line: string) => {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)
  process.stdout.write(`${seconds} s  ${line}\n`)
}

if (options.help || options.context === undefined) process.stdout.write(`${usage}\n`)
else process.exitCode = (await rehearse(options.context)) ? 0 : 1

async function rehearse(context: string): Promise<boolean> {
  const page = openPage(await readBlocks(`${repoRoot}/docs/operate/kubernetes.md`))
  await using shell = await shellIn(context)
  await refuseIfUsed(shell)
  const images = { registry: options.registry, tag: options.tag, fromTag: options['from-tag'] }
  const kinds = (await shell.run('kubectl api-resources --no-headers --output name')).split('\n')
  const has = (kind: string) => kinds.includes(kind)
  const story = { has, dir, shell, page, say, images, podCidr: options['pod-cidr'] }
  try {
    for (const [title, chapter] of Object.entries(chapters)) {
      say(title)
      await chapter(story)
    }
    const left = page.left()
    for (const name of left) say(`FAILED: nothing ran the commands of "${name}"`)
    return left.length === 0
  } catch (err) {
    say(`FAILED: ${indented((err as Error).message)}`)
    return false
  } finally {
    if (!options.keep) await cleanUp()
  }
}

/** In a new shell, because the first one has ended if a command failed. */
async function cleanUp(): Promise<void> {
  await using shell = await openHere(`${dir}.clean-up.log`)
  await shell.run(`kubectl delete namespace --ignore-not-found ${namespaces.join(' ')}
kubectl delete priorityclass --ignore-not-found surehook`)
}

async function shellIn(context: string): Promise<Shell> {
  await rm(dir, { recursive: true, force: true })
  await mkdir(dir, { recursive: true, mode: 0o700 })
  for (const name of ['deploy', 'node_modules', 'scripts'])
    await symlink(`${repoRoot}/${name}`, `${dir}/${name}`)
  const shell = await openHere(`${dir}.log`)
  const given = process.env['KUBECONFIG'] ?? `${process.env['HOME']}/.kube/config`
  await shell.run('umask 077')
  await shell.run(
    `kubectl --kubeconfig '${given}' --context '${context}' config view --minify --flatten > kubeconfig`,
  )
  return shell
}

/** Opens a shell in a folder where the page's commands find the chart and may leave files. */
async function openHere(logFile: string): Promise<Shell> {
  const helm = await findHelm()
  const path = [dirname(process.execPath), ...(helm === 'helm' ? [] : [dirname(helm)])]
  const env = {
    ...process.env,
    PATH: `${path.join(':')}:${process.env['PATH']}`,
    KUBECONFIG: `${dir}/kubeconfig`,
  }
  return openShell({ cwd: dir, env, logFile })
}

async function refuseIfUsed(shell: Shell): Promise<void> {
  const there = await shell.run(
    `kubectl get namespace --ignore-not-found --output name ${namespaces.join(' ')}`,
  )
  if (there !== '') throw new Error(`the cluster has ${there.split('\n').join(', ')} already`)
}
