/** Builds the few Kubernetes objects that a server of a rehearsal needs. */
export type Manifest = { apiVersion: string; kind: string; metadata: object } & Record<
  string,
  unknown
>

type Server = {
  namespace: string
  name: string
  image: string
  port: number
  /** The name under which other pods reach it, if it differs from `name`. */
  serviceName?: string
  labels?: Record<string, string>
  command?: readonly string[]
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Files by name, below /files. */
  files: Readonly<Record<string, string>>
}

export const namespaceOf = (name: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})

/** Converts variables to the form of container specifications. */
export const envOf = (variables: Readonly<Record<string, string>>) =>
  Object.entries(variables).map(([name, value]) => ({ name, value }))

export const secret = (
  place: { namespace: string; name: string },
  stringData: Readonly<Record<string, string>>,
): Manifest => ({ apiVersion: 'v1', kind: 'Secret', metadata: place, stringData })

/** Builds one pod without storage, its files, and a Service for it. */
export function server(it: Server): Manifest[] {
  const { namespace, name, image, port, serviceName = name, files, env = {} } = it
  const labels = { app: name, ...it.labels }
  const container = {
    name,
    image,
    imagePullPolicy: 'IfNotPresent',
    ...(it.command && { command: it.command }),
    ...(it.args && { args: it.args }),
    env: envOf(env),
    ports: [{ containerPort: port }],
    readinessProbe: { tcpSocket: { port }, periodSeconds: 2 },
    volumeMounts: [{ name: 'files', mountPath: '/files' }],
  }
  return [
    secret({ namespace, name: `${name}-files` }, files),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace, name },
      spec: {
        selector: { matchLabels: { app: name } },
        strategy: { type: 'Recreate' },
        template: {
          metadata: { labels },
          spec: {
            enableServiceLinks: false,
            containers: [container],
            volumes: [{ name: 'files', secret: { secretName: `${name}-files` } }],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name: serviceName },
      spec: { selector: { app: name }, ports: [{ port }] },
    },
  ]
}
