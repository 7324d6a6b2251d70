import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { createTenant, defaultSecret } from '@surehook/scripts/client/tenant'
import { until } from '@surehook/testing/until'
import { envOf, type Manifest, namespaceOf, secret } from './objects.ts'
import type { Shell } from './shell.ts'

/**
 * Writers and a receiver run in a pod, so that only the cluster is between them and the gateway.
 */
export const loadNamespace = 'surehook-load'
export const loadHost = `load.${loadNamespace}.svc.cluster.local`

export type Load = {
  /** Stops the writers. Resolves when all changes have arrived, with the failures. */
  end(): Promise<Report>
}

type Options = {
  shell: Shell
  image: string
  adminToken: string
  /** The gateway's address, as seen from the pod. */
  baseUrl: string
  /** The receiver's certificate, from an authority that the dispatcher trusts. */
  certificate: { cert: string; key: string }
}

export type Report = {
  written: number
  missing: number
  repeated: number
  strange: number
  unsigned: number
  failed: number
  failures: string[]
}

const settleWithinMs = 120_000
const repeatsWithinMs = 5_000

export async function openLoad({ shell, baseUrl, adminToken, ...pod }: Options): Promise<Load> {
  const tenant = await createTenant({ baseUrl, adminToken })
  await tenant.putTable('orders')
  await tenant.subscribe(`https://${loadHost}:8443/`)
  const files = {
    'load.ts': await readFile(new URL('load-pod.ts', import.meta.url), 'utf8'),
    'tls.crt': pod.certificate.cert,
    'tls.key': pod.certificate.key,
    headers: JSON.stringify(tenant.headers),
  }
  await apply(shell, manifests(pod.image, files))
  await shell.run(
    `kubectl wait pod/load --namespace ${loadNamespace} --for condition=Ready --timeout 120s`,
  )
  const ask = async (path: string): Promise<Report> => {
    const script = `fetch("http://127.0.0.1:8080${path}").then((a) => a.text()).then(console.log)`
    const text = await shell.run(
      `kubectl exec load --namespace ${loadNamespace} -- node --eval '${script}'`,
    )
    return JSON.parse(text) as Report
  }
  await until(async () => (await ask('/')).written > 0, { what: 'a first record' })
  return {
    async end() {
      let report = await ask('/end')
      const deadline = Date.now() + settleWithinMs
      while (report.missing > 0 && Date.now() < deadline) report = await ask('/')
      // Repeated deliveries arrive later.
      await wait(repeatsWithinMs)
      report = await ask('/')
      await shell.run(`kubectl delete pod load --namespace ${loadNamespace} --now`)
      return report
    },
  }
}

/** Applies the objects with kubectl. */
export async function apply(shell: Shell, objects: readonly Manifest[]): Promise<void> {
  const file = `${shell.cwd}/objects.json`
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  await shell.run(`kubectl apply --filename ${file}`)
}

function manifests(image: string, files: Readonly<Record<string, string>>): Manifest[] {
  const metadata = { namespace: loadNamespace, name: 'load' }
  const variables = {
    GATEWAY_URL: 'http://surehook-gateway.surehook.svc:8080',
    SIGNING_SECRET: defaultSecret,
  }
  const container = {
    name: 'load',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['node', '/files/load.ts'],
    env: [
      ...envOf(variables),
      { name: 'HEADERS', valueFrom: { secretKeyRef: { name: 'load', key: 'headers' } } },
    ],
    readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 },
    volumeMounts: [{ name: 'files', mountPath: '/files' }],
  }
  const volumes = [{ name: 'files', secret: { secretName: 'load' } }]
  const labels = { app: 'load' }
  return [
    namespaceOf(loadNamespace),
    secret(metadata, files),
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: labels,
        ports: [{ port: 8443 }],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, labels },
      spec: { enableServiceLinks: false, containers: [container], volumes },
    },
  ]
}
