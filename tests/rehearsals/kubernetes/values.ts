import { readFile, writeFile } from 'node:fs/promises'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { parse, stringify } from 'yaml'

export type Values = { [key: string]: unknown }

/**
 * Writes `values-production-example.yaml` with the rehearsal's values over it, in YAML 1.1, as Helm
 * reads it.
 */
export async function writeValues(file: string, ...over: readonly Values[]): Promise<void> {
  const example = `${repoRoot}/deploy/helm/surehook/values-production-example.yaml`
  const values = parse(await readFile(example, 'utf8')) as Values
  await writeFile(file, stringify(over.reduce(merged, values), { version: '1.1' }))
}

function merged(below: Values, above: Values): Values {
  const all = { ...below }
  for (const [key, value] of Object.entries(above)) {
    const there = all[key]
    all[key] = isValues(value) && isValues(there) ? merged(there, value) : value
  }
  return all
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
