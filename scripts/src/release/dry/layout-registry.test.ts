import { createHash } from 'node:crypto'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { openLayoutRegistry } from './layout-registry.ts'

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

it('keeps what is pushed in pieces as an OCI layout, and refuses what does not fit its digest', async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), 'surehook-layout-'))
  const layer = 'first piece, second piece'
  const manifest = JSON.stringify({ layers: [{ digest: digestOf(layer), size: layer.length }] })
  {
    await using registry = await openLayoutRegistry(temp.path)
    const base = `http://${registry.address}`
    const open = async () => {
      const opened = await fetch(`${base}/v2/charts/x/blobs/uploads/`, { method: 'POST' })
      expect(opened.status).toBe(202)
      return `${base}${opened.headers.get('location')}`
    }
    const upload = await open()
    const piece = await fetch(upload, { method: 'PATCH', body: layer.slice(0, 5) })
    expect([piece.status, piece.headers.get('range')]).toEqual([202, '0-4'])
    const put = (to: string, body: string) =>
      fetch(`${to}?digest=${digestOf(layer)}`, { method: 'PUT', body })
    expect((await put(await open(), 'another text')).status).toBe(400)
    expect((await put(upload, layer.slice(5))).status).toBe(201)
    const blob = await fetch(`${base}/v2/charts/y/blobs/${digestOf(layer)}`)
    expect(await blob.text()).toBe(layer)
    const absent = await fetch(`${base}/v2/charts/x/manifests/1.0.0`, { method: 'HEAD' })
    expect(absent.status).toBe(404)
    const headers = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' }
    const tag = `${base}/v2/charts/x/manifests/1.0.0`
    const stored = await fetch(tag, { method: 'PUT', headers, body: manifest })
    expect(stored.headers.get('docker-content-digest')).toBe(digestOf(manifest))
    const byDigest = `${base}/v2/charts/x/manifests/${digestOf(manifest)}`
    for (const address of [tag, byDigest]) {
      const read = await fetch(address)
      expect(read.headers.get('content-type')).toBe(headers['content-type'])
      expect(await read.text()).toBe(manifest)
    }
    expect(registry.pushed).toMatchObject([
      { name: 'charts/x:1.0.0', digest: digestOf(manifest), bytes: layer.length },
    ])
  }
  const index: unknown = JSON.parse(await readFile(`${temp.path}/index.json`, 'utf8'))
  const annotations = { 'org.opencontainers.image.ref.name': 'charts/x:1.0.0' }
  expect(index).toMatchObject({
    manifests: [{ digest: digestOf(manifest), size: manifest.length, annotations }],
  })
  const blob = await readFile(`${temp.path}/blobs/sha256/${digestOf(layer).slice(7)}`, 'utf8')
  expect(blob).toBe(layer)
})
