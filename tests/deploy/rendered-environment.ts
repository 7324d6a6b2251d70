import { createHash } from 'node:crypto'
import { type KubeObject, type PodOf, podsIn, theOne } from './kube-objects.ts'

/** Possible values of the keys of the Secrets. */
const secrets: Record<string, string> = {
  DATABASE_URL: 'postgres://surehook:secret@postgres:5432/surehook',
  HISTORY_DATABASE_URL: 'postgres://surehook:secret@history:5432/surehook_history',
  DATABASE_PASSWORD_AUTH_SERVICE: 'secret-of-auth-service',
  DATABASE_PASSWORD_DATA_API: 'secret-of-data-api',
  DATABASE_PASSWORD_POSTGRES_SOURCE: 'secret-of-postgres-source',
  DATABASE_PASSWORD_WEBHOOK_API: 'secret-of-webhook-api',
  REDIS_URL: 'rediss://surehook:secret@redis:6380',
  KAFKA_SASL_USERNAME: 'surehook',
  KAFKA_SASL_PASSWORD: 'secret-of-kafka',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  KEY_ENCRYPTION_KEY_PREVIOUS: Buffer.alloc(32, 8).toString('base64'),
  PLATFORM_ADMIN_TOKEN: 'pat_0123456789abcdef',
  PLATFORM_ADMIN_TOKEN_SHA256: createHash('sha256').update('pat_0123456789abcdef').digest('hex'),
  SCHEMA_REGISTRY_PASSWORD: 'secret-of-registry',
  SERVICE_TOKEN: 'svc_0123456789abcdef',
  SMTP_URL: 'smtps://surehook:secret@smtp.example.com',
}

/** Variables of one service in the single process, such as `DATABASE_URL_DATA_API`. */
const ofOneService =
  /_(?:AUTH_SERVICE|DATA_API|POSTGRES_SOURCE|GATEWAY|WEBHOOK_API|WEBHOOK_MATCHER|WEBHOOK_DISPATCHER)$/

/** Returns the variables of a component's container. Those from Secrets get the values above. */
export function environmentOf(
  objects: readonly KubeObject[],
  component: string,
): Record<string, string> {
  const deployment = theOne(objects, 'Deployment', component)
  const [container] = deployment.spec.template?.spec.containers ?? []
  const fromMaps = (container?.envFrom ?? []).flatMap(({ configMapRef: { name } }) => {
    const map = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name)
    if (map?.data === undefined) throw new Error(`there is no ConfigMap ${name}`)
    return Object.entries(map.data)
  })
  const own = (container?.env ?? []).map(({ name, value }) => [name, value ?? secretOf(name)])
  return Object.fromEntries([...fromMaps, ...own])
}

/** Like `environmentOf`, for a pod without a ConfigMap. */
export function environmentOfPod(objects: readonly KubeObject[], name: string) {
  const [container] = podNamed(objects, name).spec.containers
  return Object.fromEntries(
    (container?.env ?? []).map(({ name: variable, value }) => [
      variable,
      value ?? secretOf(variable),
    ]),
  )
}

export function podNamed(objects: readonly KubeObject[], name: string): PodOf {
  const found = podsIn(objects).find((pod) => pod.name === name)
  if (found === undefined) throw new Error(`there is no pod of ${name}`)
  return found
}

function secretOf(variable: string): string {
  const secret = secrets[variable] ?? secrets[variable.replace(ofOneService, '')]
  if (secret === undefined) throw new Error(`nobody knows what the secret ${variable} looks like`)
  return secret
}

/** Returns the variables that a pod takes from Secrets, each with its Secret. */
export function secretsOf(pod: PodOf): Record<string, string> {
  return Object.fromEntries(
    pod.spec.containers.flatMap(({ env = [] }) =>
      env.flatMap(({ name, valueFrom }) =>
        valueFrom === undefined ? [] : [[name, valueFrom.secretKeyRef.name]],
      ),
    ),
  )
}
