import { posix } from 'node:path'

/**
 * Returns a README of the folder `dir` as npm shows it. Links to files of the repository become
 * addresses at this tag, because the README stands alone there.
 */
export function absoluteLinks(
  markdown: string,
  { dir, repository, tag }: { dir: string; repository: string; tag: string },
): string {
  const base = repository.replace(/^git\+|\.git$/g, '')
  return markdown.replace(codeOrLink, (text, path: string | undefined) =>
    path === undefined ? text : `](${base}/blob/${tag}/${posix.join(dir, path)})`,
  )
}

const codeOrLink = /```.*?```|`[^`]*`|\]\((?![a-z]+:|#)([^)\s]+)\)/gis
