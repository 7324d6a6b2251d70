import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/**
 * Returns the text of an Avro schema of the contracts. The bundle of `@surehook/publisher` replaces
 * this module, because it is installed without the contracts.
 */
export const schemaText = (file: string): string =>
  readFileSync(require.resolve(`@surehook/contracts/events/${file}.avsc`), 'utf8')
