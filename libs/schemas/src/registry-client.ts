import { request as requestHttp } from 'node:http'
import { Agent, request as requestHttps } from 'node:https'
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'

export type RegistrySecurity = {
  /** PEM of the CA of the registry's certificate. Replaces the system's roots. */
  ca?: string
  /** HTTP basic authentication. */
  auth?: { username: string; password: string }
}

export type RegistryConnection = { url: string; security?: RegistrySecurity | undefined }

/** Creates the library's client. That client does not expose its URL. */
export function registryClient({ url, security = {} }: RegistryConnection): SchemaRegistry {
  const { ca, auth } = security
  return new SchemaRegistry({
    host: url,
    clientId: 'surehook',
    ...(auth && { auth }),
    ...(ca && { agent: new Agent({ ca, keepAlive: true }) }),
  })
}

export type RegistryAnswer = { status: number; text: string }

const withinMs = 5_000

/** Sends requests that the library's client does not support. `fetch` accepts no CA. */
export function askRegistry(
  { url, security = {} }: RegistryConnection,
  { path, body }: { path: string; body?: object },
): Promise<RegistryAnswer> {
  const { ca, auth } = security
  const target = new URL(`${url}${path}`)
  const options = {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    signal: AbortSignal.timeout(withinMs),
    ...(auth && { auth: `${auth.username}:${auth.password}` }),
  }
  const sent =
    target.protocol === 'https:'
      ? requestHttps(target, { ...options, ...(ca && { ca }) })
      : requestHttp(target, options)
  // Node 20 lacks `Promise.withResolvers`, and the published packages run on it.
  return new Promise((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (piece: string) => {
        text += piece
      })
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
