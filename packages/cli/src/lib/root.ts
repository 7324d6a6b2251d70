import { fileURLToPath } from 'node:url'

/**
 * Root of the checkout, or the directory in an image. `src/lib` and `dist/lib` have the same
 * relative path to it.
 */
export const surehookRoot = fileURLToPath(new URL('../../../../', import.meta.url)).replace(
  /\/$/,
  '',
)
