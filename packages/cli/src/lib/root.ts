import { fileURLToPath } from 'node:url'

/** The checkout, or the folder of an image. The same distance away from `src/lib` and from `dist/lib`. */
export const surehookRoot = fileURLToPath(new URL('../../../../', import.meta.url)).replace(
  /\/$/,
  '',
)
