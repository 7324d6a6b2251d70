import { repoRoot } from '../lib/paths.ts'
import { pythonWith } from '../python/python-tools.ts'
import { goTool, onPath } from './go-tool.ts'

export const chartDir = `${repoRoot}/deploy/helm/surehook`

/** The Kubernetes version for which manifests are rendered and checked. */
export const kubernetesVersion = '1.36'

/** Returns whether Helm 3 is on the path. */
export const hasHelm = (): boolean =>
  onPath('helm', ['version', '--template', '{{.Version}}'], /^v3\./)

/** Returns whether kube-score is on the path. */
export const hasKubeScore = (): boolean => onPath('kube-score', ['version'], /^kube-score version/)

/** Finds Helm 3 on this machine, or builds it. */
export async function findHelm(): Promise<string> {
  if (hasHelm()) return 'helm'
  return goTool({
    name: 'helm',
    package: 'helm.sh/helm/v3/cmd/helm',
    version: 'v3.22.0',
  })
}

/** Finds kube-score on this machine, or builds it. */
export async function findKubeScore(): Promise<string> {
  if (hasKubeScore()) return 'kube-score'
  return goTool({
    name: 'kube-score',
    package: 'github.com/zegl/kube-score/cmd/kube-score',
    version: 'v1.20.0',
  })
}

/** Finds the tool that checks manifests against the schemas of the Kubernetes API. */
export async function findKubernetesValidate(): Promise<string> {
  const python = await pythonWith(`${repoRoot}/scripts/python/kubernetes.txt`)
  return python.replace(/python$/, 'kubernetes-validate')
}
