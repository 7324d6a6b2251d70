import { readdirSync } from 'node:fs'
import { cp, mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chartDir, findHelm, kubernetesVersion } from '@surehook/scripts/deploy/helm-tools'
import { runCommand } from '@surehook/scripts/lib/run-command'
import * as yaml from 'yaml'
import type { KubeObject } from './kube-objects.ts'

/** All services in one process. */
export const singleValuesFile = 'ci/single-values.yaml'

/** Every values file of the chart with services, by the name that test titles show. */
export const valuesFiles: readonly string[] = [
  ...readdirSync(`${chartDir}/ci`)
    .map((name) => `ci/${name}`)
    .filter((name) => name !== singleValuesFile),
  'values-production-example.yaml',
]

export const namespace = 'surehook'

const rendered = new Map<string, Promise<KubeObject[]>>()

/**
 * Runs `helm template` with a values file of the chart and further values. Throws with Helm's
 * message.
 */
export function render(file: string, over: object = {}): Promise<KubeObject[]> {
  const key = JSON.stringify([file, over])
  const rendering = rendered.get(key) ?? callHelm(file, over)
  rendered.set(key, rendering)
  return rendering
}

async function callHelm(file: string, over: object): Promise<KubeObject[]> {
  return template({ chart: chartDir, file, over })
}

/**
 * Returns the text that `helm install` prints at its end. Helm prints it only with a cluster, so it
 * is rendered as an object.
 */
export async function notes(file: string, over: object = {}): Promise<string> {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'surehook-chart-'))
  const chart = join(dir.path, 'surehook')
  await cp(chartDir, chart, { recursive: true })
  await cp(`${chart}/templates/NOTES.txt`, `${chart}/notes.txt`)
  const object = [
    ...['apiVersion: v1', 'kind: Notes', 'metadata: { name: notes, labels: {} }'],
    'data: { said: {{ tpl (.Files.Get "notes.txt") . | toJson }} }',
  ]
  await writeFile(`${chart}/templates/notes.yaml`, object.join('\n'))
  const objects = await template({ chart, file, over })
  return objects.find(({ kind }) => kind === 'Notes')?.data?.['said'] ?? ''
}

type Rendering = { chart: string; file: string; over: object }

async function template({ chart, file, over }: Rendering): Promise<KubeObject[]> {
  await using dir = await mkdtempDisposable(join(tmpdir(), 'surehook-values-'))
  const overFile = join(dir.path, 'values.json')
  await writeFile(overFile, JSON.stringify(over))
  const { ok, output } = await runCommand({
    args: [
      ...[await findHelm(), 'template', 'surehook', chart, '--namespace', namespace],
      ...['--kube-version', `${kubernetesVersion}.0`],
      ...['--values', `${chartDir}/${file}`, '--values', overFile],
    ],
  })
  if (!ok) throw new Error(output)
  return yaml
    .parseAllDocuments(output)
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null)
}
