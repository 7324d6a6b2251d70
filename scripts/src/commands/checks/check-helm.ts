import { mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import {
  chartDir,
  findHelm,
  findKubernetesValidate,
  findKubeScore,
  kubernetesVersion,
} from '../../deploy/helm-tools.ts'
import { runCommand } from '../../lib/run-command.ts'
import { hasToolchain } from '../../lib/toolchains.ts'

/**
 * `npm run check:helm`: checks the chart with Helm, the schemas of Kubernetes and kube-score, for
 * each values file.
 */
const helm = await findHelm()
const kubeScore = await findKubeScore()
const kubernetesValidate = hasToolchain('python', process.env)
  ? await findKubernetesValidate()
  : null
const kubeVersion = ['--kube-version', `${kubernetesVersion}.0`]
/** Kinds without a schema in Kubernetes; the tests check them. */
const foreign =
  /^(keda\.sh|gateway\.networking\.k8s\.io|monitoring\.coreos\.com|kafka\.strimzi\.io)\//

/** kube-score asks for replicas and more, which an installation to try has not. */
const tryValues = `${chartDir}/values-try.yaml`
const valuesFiles = [
  ...(await readdir(`${chartDir}/ci`)).map((name) => `${chartDir}/ci/${name}`),
  `${chartDir}/values-production-example.yaml`,
  tryValues,
]
await using dir = await mkdtempDisposable(join(tmpdir(), 'surehook-helm-'))

await say('helm lint --strict', [helm, 'lint', '--strict', chartDir, ...kubeVersion])
for (const file of valuesFiles) {
  const name = basename(file)
  const values = ['--values', file]
  await say(`${name}: helm lint --strict`, [
    ...[helm, 'lint', '--strict', chartDir, ...kubeVersion, ...values],
  ])
  const rendered = await say(`${name}: helm template`, [
    ...[helm, 'template', 'surehook', chartDir, '--namespace', 'surehook'],
    ...[...kubeVersion, ...values],
  ])
  const manifests = join(dir.path, name)
  await writeFile(manifests, ofKubernetes(rendered))
  if (kubernetesValidate !== null) {
    await say(`${name}: kubernetes-validate --strict`, [
      ...[kubernetesValidate, '--strict', '--kubernetes-version', kubernetesVersion, manifests],
    ])
  }
  if (file === tryValues) continue
  await say(`${name}: kube-score`, [
    ...[kubeScore, 'score', '--kubernetes-version', `v${kubernetesVersion}`, manifests],
  ])
}

async function say(what: string, args: readonly string[]): Promise<string> {
  const { ok, output } = await runCommand({ args })
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${what}`)
  if (!ok) {
    console.error(output)
    process.exitCode = 1
  }
  return output
}

function ofKubernetes(rendered: string): string {
  return parseAllDocuments(rendered)
    .filter((document) => {
      const manifest = document.toJS() as { apiVersion: string } | null
      return manifest !== null && !foreign.test(manifest.apiVersion)
    })
    .map((document) => document.toString())
    .join('---\n')
}
