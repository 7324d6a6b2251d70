import { mkdir, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import {
  defaultOptions,
  type Manifest,
  type StrimziOptions,
  strimziTopics,
  strimziUsers,
} from '../../deploy/strimzi.ts'
import { repoRoot } from '../../lib/paths.ts'

/**
 * `npm run generate` writes `deploy/strimzi`. With options, it writes manifests for another cluster
 * to another directory.
 */
const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: `${repoRoot}/deploy/strimzi` },
    cluster: { type: 'string', default: defaultOptions.cluster },
    partitions: { type: 'string', default: String(defaultOptions.partitions) },
    replicas: { type: 'string', default: String(defaultOptions.replicas) },
    'retry-ladder': { type: 'string', default: defaultOptions.retryLadder.join(',') },
    'username-prefix': { type: 'string', default: defaultOptions.usernamePrefix },
    authentication: { type: 'string', default: defaultOptions.authentication },
  },
})

const options: StrimziOptions = {
  cluster: values.cluster,
  partitions: positive('partitions', values.partitions),
  replicas: positive('replicas', values.replicas),
  retryLadder: values['retry-ladder'].split(',').map((delay) => delay.trim()),
  usernamePrefix: values['username-prefix'],
  authentication: authenticationOf(values.authentication),
}
await mkdir(values.dir, { recursive: true })
await write('topics.yaml', strimziTopics(options))
await write('users.yaml', strimziUsers(options))

async function write(name: string, manifests: readonly Manifest[]): Promise<void> {
  const note =
    '# Generated from contracts/src by scripts/src/commands/generate/generate-strimzi.ts: change it there.\n'
  const documents = manifests.map((manifest) => stringify(manifest, { lineWidth: 100 }))
  await writeFile(`${values.dir}/${name}`, note + documents.join('---\n'))
}

function positive(name: string, text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new Error(`--${name} must be a whole number from 1 on`)
}

function authenticationOf(text: string): StrimziOptions['authentication'] {
  if (text === 'scram-sha-512' || text === 'tls') return text
  throw new Error('--authentication must be scram-sha-512 or tls')
}
