import { build } from 'esbuild'

/** Bundles a module, and the packages that it finds from a directory, as a frontend does. */
export async function bundleForBrowsers(code: string, resolveDir: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  })
  const [bundle] = outputFiles
  if (bundle === undefined) throw new Error('esbuild wrote no bundle')
  return bundle.contents
}
