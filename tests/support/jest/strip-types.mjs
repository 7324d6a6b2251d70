import { createHash } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'

/**
 * Jest's transformer for TypeScript, with what Node itself runs TypeScript by. It replaces types by
 * spaces, so a stack trace names the line and column of the source without a source map.
 */
export default {
  process: (source) => ({ code: stripTypeScriptTypes(source) }),
  getCacheKey: (source) =>
    createHash('sha256').update(`${process.versions.amaro}\0`).update(source).digest('hex'),
}
