import { describe, expect, it } from '@jest/globals'
import { entriesOf, type Manifest, publishedManifest } from './pack-package.ts'

const known = new Map([
  ['@surehook/client', { version: '1.2.3' }],
  ['@surehook/kafka', { version: '1.2.3', private: true }],
])
const manifest: Manifest = {
  name: '@surehook/example',
  version: '1.2.3',
  exports: { './*': { source: './src/*.ts', types: './dist/*.d.ts', default: './dist/*.js' } },
  scripts: { build: 'tsc -b' },
  dependencies: { '@surehook/client': '*', '@surehook/kafka': '*', pg: '8.23.1' },
  devDependencies: { esbuild: '0.28.2' },
}

describe('publishedManifest', () => {
  it('names installable packages only, ours with their exact version', () => {
    const published = publishedManifest(manifest, known)
    expect(published.dependencies).toEqual({ '@surehook/client': '1.2.3', pg: '8.23.1' })
    expect(published).not.toHaveProperty('devDependencies')
    expect(published).not.toHaveProperty('scripts')
    expect(published.exports).toEqual({ './*': { types: './dist/*.d.ts', default: './dist/*.js' } })
  })

  it('names no package of this repository in a command, which contains them', () => {
    const command = { ...manifest, bin: { surehook: 'bin/surehook.mjs' } }
    expect(publishedManifest(command, known).dependencies).toEqual({ pg: '8.23.1' })
  })

  it('applies what publishConfig overrides', () => {
    const bin = { surehook: 'dist/published/surehook.js' }
    const exports = { './package.json': './package.json' }
    const overridden = { ...manifest, publishConfig: { access: 'public', bin, exports } }
    expect(publishedManifest(overridden, known)).toMatchObject({
      bin,
      exports,
      publishConfig: { access: 'public' },
    })
    expect(publishedManifest(overridden, known).publishConfig).not.toHaveProperty('bin')
    expect(entriesOf(overridden)).toEqual([])
    expect(entriesOf(manifest)).toEqual([{ path: './*', types: './dist/*.d.ts' }])
  })
})
