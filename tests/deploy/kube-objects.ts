/** The parts of Kubernetes objects that the tests read. */
export type Metadata = {
  name: string
  labels: Record<string, string>
  annotations?: Record<string, string>
}

export type EnvVariable = {
  name: string
  value?: string
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } }
}

export type Probe = { httpGet: { path: string; port: string | number }; failureThreshold: number }

export type Container = {
  name: string
  image: string
  args?: string[]
  env?: EnvVariable[]
  envFrom?: { configMapRef: { name: string } }[]
  ports?: { name: string; containerPort: number }[]
  securityContext: Record<string, unknown>
  resources: Record<'requests' | 'limits', Record<string, string>>
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[]
  lifecycle?: { preStop: { sleep: { seconds: number } } }
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe
}

export type Volume = { name: string; emptyDir?: object; secret?: object; configMap?: object }

export type PodSpec = {
  serviceAccountName: string
  automountServiceAccountToken: boolean
  securityContext: Record<string, unknown>
  terminationGracePeriodSeconds?: number
  topologySpreadConstraints?: { topologyKey: string; labelSelector: Selector }[]
  containers: Container[]
  initContainers?: Container[]
  volumes: Volume[]
  hostNetwork?: boolean
  hostPID?: boolean
  hostIPC?: boolean
}

export type Selector = { matchLabels: Record<string, string> }

export type Peer = {
  podSelector?: Selector
  namespaceSelector?: Selector
  ipBlock?: { cidr: string; except?: string[] }
}

export type PolicyRule = {
  from?: Peer[]
  to?: Peer[]
  ports: { port?: number; protocol: string }[]
}

export type AlertRule = {
  alert?: string
  record?: string
  expr: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}

export type KubeObject = {
  apiVersion: string
  kind: string
  metadata: Metadata
  data?: Record<string, string>
  automountServiceAccountToken?: boolean
  spec: {
    replicas?: number
    strategy?: { type: string; rollingUpdate: { maxUnavailable: number } }
    selector?: Selector
    template?: { metadata: Metadata; spec: PodSpec }
    podSelector?: Selector
    policyTypes?: string[]
    ingress?: PolicyRule[]
    egress?: PolicyRule[]
    minReplicas?: number
    maxReplicas?: number
    minReplicaCount?: number
    maxReplicaCount?: number
    scaleTargetRef?: { name: string }
    triggers?: { type: string; metadata: Record<string, string>; authenticationRef?: object }[]
    groups?: { name: string; rules: AlertRule[] }[]
    ports?: { name: string; port: number; targetPort: string | number }[]
    rules?: unknown[]
    [field: string]: unknown
  }
}

export const ofKind = (objects: readonly KubeObject[], kind: string): KubeObject[] =>
  objects.filter((object) => object.kind === kind)

const component = 'app.kubernetes.io/component'

/** Returns the component of an object, such as `auth-service`. */
export const componentOf = ({ metadata }: KubeObject): string => metadata.labels[component] ?? ''

/** Returns the only object of a kind for a component. Throws if there is not exactly one. */
export function theOne(objects: readonly KubeObject[], kind: string, of: string): KubeObject {
  const found = ofKind(objects, kind).filter((object) => componentOf(object) === of)
  const [only] = found
  if (only === undefined || found.length > 1) {
    throw new Error(`${found.length} objects of kind ${kind} belong to ${of}`)
  }
  return only
}

export type PodOf = { name: string; labels: Record<string, string>; spec: PodSpec }

/** Returns the pods of Deployments, Jobs and tests. */
export function podsIn(objects: readonly KubeObject[]): PodOf[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    if (kind === 'Pod') {
      return [{ name: metadata.name, labels: metadata.labels, spec: spec as unknown as PodSpec }]
    }
    if (spec?.template === undefined) return []
    const { metadata: of, spec: pod } = spec.template
    return [{ name: metadata.name, labels: of.labels, spec: pod }]
  })
}

export function selects({ matchLabels }: Selector, labels: Record<string, string>): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value)
}

/** Returns the only container of a Deployment. */
export function containerOf({ spec }: KubeObject): Container {
  const [container] = spec.template?.spec.containers ?? []
  if (container === undefined) throw new Error('there is no container')
  return container
}
