import { request as requestHttp } from 'node:http'
import { Agent, request as requestHttps } from 'node:https'
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry'

export type RegistrySecurity = {
  /** PEM of who vouches for the registry's certificate, in place of the system's roots. */
  ca?: string
  /** HTTP basic authentication. */
  auth?: { username: string; password: string }
}

export type RegistryConnection = { url: string; security?: RegistrySecurity | undefined }

/** The library's client; it does not tell the URL that it was given. */
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

/** For what the library's client cannot ask. `fetch` cannot be given a CA. */
export function askRegistry(
  { url, security = {} }: RegistryConnection,
  { path, body }: { path: string; body?: object },
): Promise<RegistryAnswer> {
  const { ca, auth } = security
  const target = new URL(`${url}${path}`)
  const { promise, resolve, reject } = Promise.withResolvers<RegistryAnswer>()
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
  return promise
}
