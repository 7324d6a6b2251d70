import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

/** A manifest with a tag: an image or a chart. `bytes` counts its layers and its configuration. */
export type Pushed = { name: string; digest: string; bytes: number }

export type LayoutRegistry = AsyncDisposable & {
  /** Such as `127.0.0.1:41234`. Docker and Helm push there without TLS. */
  readonly address: string
  readonly pushed: readonly Pushed[]
}

type Descriptor = { mediaType: string; digest: string; size: number }
type Stored = Descriptor & { name: string; bytes: number }
type Call = { method: string; name: string; part: string; id: string; query: URLSearchParams }

/**
 * Opens a registry on this machine that keeps what it gets as an OCI image layout in `dir`, which
 * `skopeo`, `oras` and `crane` read. It speaks the part of the OCI distribution specification that
 * a push needs.
 */
export async function openLayoutRegistry(dir: string): Promise<LayoutRegistry> {
  const registry = new Registry(dir)
  await mkdir(`${dir}/blobs/sha256`, { recursive: true })
  await mkdir(`${dir}/uploads`)
  const server = createServer((req, res) => {
    registry.handle(req, res).catch((err: unknown) => {
      res.writeHead(500).end(String(err))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    pushed: registry.tagged,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      await rm(`${dir}/uploads`, { recursive: true })
      await registry.writeIndex()
    },
  }
}

class Registry {
  readonly tagged: Stored[] = []
  /** Of every manifest, by its digest. */
  readonly #mediaTypes = new Map<string, string>()
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  async handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', 'http://registry')
    const path = /^\/v2\/(.+)\/(blobs\/uploads|blobs|manifests)\/([^/]*)$/.exec(url.pathname)
    if (path === null) return void res.writeHead(url.pathname === '/v2/' ? 200 : 404).end()
    const [, name = '', part = '', id = ''] = path
    const call = { method: req.method ?? '', name, part, id, query: url.searchParams }
    if (part === 'blobs/uploads') return this.#upload(call, req, res)
    if (part === 'manifests' && call.method === 'PUT') return this.#putManifest(call, req, res)
    return this.#read(call, res)
  }

  async writeIndex(): Promise<void> {
    const manifests = this.tagged.map(({ name, mediaType, digest, size }) => ({
      ...{ mediaType, digest, size },
      annotations: { 'org.opencontainers.image.ref.name': name },
    }))
    await writeFile(`${this.#dir}/oci-layout`, JSON.stringify({ imageLayoutVersion: '1.0.0' }))
    await writeFile(`${this.#dir}/index.json`, JSON.stringify({ schemaVersion: 2, manifests }))
  }

  async #upload({ method, name, id, query }: Call, req: IncomingMessage, res: ServerResponse) {
    const upload = method === 'POST' ? randomUUID() : id
    const file = `${this.#dir}/uploads/${upload}`
    await pipeline(req, createWriteStream(file, { flags: 'a' }))
    const digest = query.get('digest')
    if (digest === null) {
      const { size } = await stat(file)
      const location = `/v2/${name}/blobs/uploads/${upload}`
      return void res.writeHead(202, { location, range: `0-${Math.max(0, size - 1)}` }).end()
    }
    const hash = createHash('sha256')
    await pipeline(createReadStream(file), hash)
    if (`sha256:${hash.digest('hex')}` !== digest) return void res.writeHead(400).end()
    await rename(file, this.#fileOf(digest))
    return this.#created({ name, part: 'blobs', digest }, res)
  }

  async #putManifest({ name, id }: Call, req: IncomingMessage, res: ServerResponse) {
    const bytes = await buffer(req)
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    await writeFile(this.#fileOf(digest), bytes)
    const mediaType = req.headers['content-type'] ?? ''
    this.#mediaTypes.set(digest, mediaType)
    if (id !== digest) {
      const stored = { name: `${name}:${id}`, mediaType, digest, size: bytes.length }
      this.tagged.push({ ...stored, bytes: contentBytes(bytes.toString()) })
    }
    return this.#created({ name, part: 'manifests', digest }, res)
  }

  #created(
    { name, part, digest }: { name: string; part: string; digest: string },
    res: ServerResponse,
  ) {
    const location = `/v2/${name}/${part}/${digest}`
    res.writeHead(201, { location, 'docker-content-digest': digest }).end()
  }

  async #read({ method, name, part, id }: Call, res: ServerResponse): Promise<void> {
    const tagged = this.tagged.findLast((one) => one.name === `${name}:${id}`)
    const digest = id.startsWith('sha256:') ? id : tagged?.digest
    const bytes = digest === undefined ? null : await sizeOf(this.#fileOf(digest))
    if (digest === undefined || bytes === null) return void res.writeHead(404).end()
    const type = part === 'manifests' ? this.#mediaTypes.get(digest) : undefined
    res.writeHead(200, {
      'content-length': bytes,
      'content-type': type ?? 'application/octet-stream',
      'docker-content-digest': digest,
    })
    if (method === 'HEAD') return void res.end()
    res.end(await readFile(this.#fileOf(digest)))
  }

  #fileOf(digest: string): string {
    const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? []
    if (hex === undefined) throw new Error(`${digest} is no SHA-256 digest`)
    return `${this.#dir}/blobs/sha256/${hex}`
  }
}

/** The bytes that a manifest refers to. */
function contentBytes(manifest: string): number {
  const { config, layers = [] } = JSON.parse(manifest) as {
    config?: Descriptor
    layers?: Descriptor[]
  }
  return layers.reduce((sum, { size }) => sum + size, config?.size ?? 0)
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw err
  }
}
