import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Credentials } from './credentials.ts'

export type RegistryProxy = AsyncDisposable & { readonly url: string }

/** Adds TLS and users to a registry that supports neither. Removes both from forwarded requests. */
export async function openRegistryProxy(
  target: string,
  credentials: Credentials,
): Promise<RegistryProxy> {
  const { certificateFile, keyFile, registry } = credentials
  const expected = `Basic ${Buffer.from(`${registry.username}:${registry.password}`).toString('base64')}`
  const [cert, key] = await Promise.all([certificateFile, keyFile].map((file) => readFile(file)))
  const server = createServer({ ...(cert && { cert }), ...(key && { key }) }, (req, res) => {
    if (!isSame(req.headers.authorization ?? '', expected)) {
      res.writeHead(401, { 'www-authenticate': 'Basic' }).end()
      return
    }
    const { host: _host, authorization: _authorization, ...headers } = req.headers
    const url = new URL(req.url ?? '/', target)
    const forwarded = request(url, { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    forwarded.on('error', () => res.destroy())
    req.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `https://127.0.0.1:${port}${new URL(target).pathname}`
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const isSame = (a: string, b: string) => timingSafeEqual(digest(a), digest(b))
