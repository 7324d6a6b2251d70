import { mkdir, writeFile } from 'node:fs/promises'
import type { ApiName } from '@surehook/contracts/openapi/openapi'
import { repoRoot } from '../lib/paths.ts'
import { type CommandResult, runCommand } from '../lib/run-command.ts'
import { pythonWith } from '../python/python-tools.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { schemathesisConfig } from './schemathesis-config.ts'
import { type OpenApiDocument, tailored } from './tailored-document.ts'

export type FuzzOptions = {
  target: FuzzTarget
  api: ApiName
  seed: number
  /** Per operation and phase. */
  maxExamples: number
  /** The directory for reports and configuration. */
  dir: string
  phases?: readonly string[]
}

/** Sends valid and invalid requests of all kinds to the gateway's operations in a document. */
export async function fuzzApi(options: FuzzOptions): Promise<CommandResult> {
  const { target, api, seed, maxExamples, dir } = options
  const python = await pythonWith(`${repoRoot}/scripts/python/fuzz.txt`)
  await mkdir(dir, { recursive: true })
  const configFile = `${dir}/${api}.toml`
  await writeFile(configFile, schemathesisConfig(api, target))
  const documentFile = `${dir}/${api}.json`
  const document = await readDocument(`${target.baseUrl}/openapi/${api}.json`)
  await writeFile(documentFile, JSON.stringify(tailored(document, target)))
  const phases = options.phases ?? ['examples', 'coverage', 'fuzzing', 'stateful']
  return runCommand({
    args: [
      ...[python, '-m', 'schemathesis.cli', '--config-file', configFile],
      ...['run', documentFile, '--origin', target.baseUrl],
      ...['--phases', phases.join(',')],
      ...['--max-examples', `${maxExamples}`, '--seed', `${seed}`, '--continue-on-failure'],
      ...['--generation-database', 'none', '--suppress-health-check', 'all'],
      ...['--request-timeout', '30', '--no-color', '--warnings', 'off'],
      ...['--report', 'ndjson', '--report-ndjson-path', `${dir}/${api}.ndjson`],
    ],
    // schemathesis stores its examples in the working directory.
    cwd: dir,
    logFile: `${dir}/${api}.log`,
  })
}

async function readDocument(url: string): Promise<OpenApiDocument> {
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return (await answer.json()) as OpenApiDocument
}
