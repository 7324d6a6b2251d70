import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

type Bundle = Rolldown.OutputBundle

/** Fails the build if what a browser loads before the first page exceeds the limit. */
export function limitFirstLoad({ maxGzipBytes }: { maxGzipBytes: number }): Plugin {
  return {
    name: 'limit-first-load',
    generateBundle(_options, bundle) {
      const files = firstLoad(bundle)
      const bytes = files.reduce((sum, name) => sum + zippedSize(bundle[name]), 0)
      const size = `the first load is ${(bytes / 1000).toFixed(1)} kB compressed`
      if (bytes > maxGzipBytes) this.error(`${size}, more than ${maxGzipBytes / 1000} kB`)
      this.info(size)
    },
  }
}

/** The entries, what they import statically, and the styles of both. */
function firstLoad(bundle: Bundle): string[] {
  const names = new Set(
    Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' && file.isEntry ? [file.fileName] : [],
    ),
  )
  for (const name of names) {
    const file = bundle[name]
    if (file?.type !== 'chunk') continue
    for (const imported of file.imports) names.add(imported)
    for (const style of file.viteMetadata?.importedCss ?? []) names.add(style)
  }
  return [...names]
}

function zippedSize(file: Bundle[string] | undefined): number {
  if (file === undefined) return 0
  return gzipSync(file.type === 'chunk' ? file.code : file.source).length
}
