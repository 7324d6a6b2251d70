import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from '@jest/globals'
import { parse } from 'yaml'
import { repoRoot } from '../lib/paths.ts'

type Job = {
  needs?: string | string[]
  permissions?: Record<string, string>
  steps: { uses?: string; run?: string }[]
}
type Workflow = { on: object; permissions: Record<string, string>; jobs: Record<string, Job> }

const dir = `${repoRoot}/.github/workflows`
const files = await readdir(dir)
const texts = new Map(
  await Promise.all(
    files.map(async (file) => [file, await readFile(`${dir}/${file}`, 'utf8')] as const),
  ),
)
const workflowIn = (file: string) => parse(texts.get(file) ?? '') as Workflow
const { scripts } = JSON.parse(await readFile(`${repoRoot}/package.json`, 'utf8')) as {
  scripts: Record<string, string>
}
const commandsOf = ({ steps }: Job): string => steps.map(({ run = '' }) => run).join('\n')
const isInstall = (line: string) => /\bnpm (?:ci|i|install)\b/.test(line)
const namesIn = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name)

describe.each(files)('the workflow %s', (file) => {
  const { jobs } = workflowIn(file)
  const commands = Object.values(jobs).map(commandsOf).join('\n')

  it('runs commands that exist', () => {
    const named = namesIn(commands, /npm run (?:-s )?([\w:-]+)/g)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it('takes actions by their commit, and names the version', () => {
    const lines = (texts.get(file) ?? '').split('\n').filter((line) => line.includes('uses:'))
    const pinned = /uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/
    expect(lines.filter((line) => !pinned.test(line))).toEqual([])
  })

  it('puts no expression into a command, which an attacker could name a branch after', () => {
    expect(commands).not.toContain('${{')
  })
})

it('checks may read only', () => {
  const { permissions, jobs } = workflowIn('ci.yml')
  expect(permissions).toEqual({ contents: 'read' })
  expect(Object.values(jobs).map((job) => job.permissions)).toEqual([undefined, undefined])
})

describe('the release', () => {
  const { on, permissions, jobs } = workflowIn('release.yml')
  const entries = Object.entries(jobs)

  it('follows a tag, and gives each job what it needs only', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } })
    expect(permissions).toEqual({})
    expect(Object.fromEntries(entries.map(([name, job]) => [name, job.permissions]))).toEqual({
      make: { contents: 'read' },
      packages: { 'id-token': 'write' },
      images: { contents: 'read', packages: 'write' },
      chart: { packages: 'write' },
    })
  })

  it('runs no lifecycle scripts of packages', () => {
    const installs = entries.flatMap(([, job]) => commandsOf(job).split('\n')).filter(isInstall)
    expect(installs).toEqual(['npm ci --ignore-scripts', 'npm ci --ignore-scripts'])
  })

  it('publishes only what the dry run made, each in one job', () => {
    const jobsWith = (command: string) =>
      entries.filter(([, job]) => commandsOf(job).includes(command)).map(([name]) => name)
    expect(jobsWith('npm run release:dry -- --require-all')).toEqual(['make'])
    expect(jobsWith('npm publish')).toEqual(['packages'])
    expect(jobsWith('npm run images')).toEqual(['images'])
    expect(jobsWith('helm push')).toEqual(['chart'])
    for (const [name, { needs }] of entries) {
      expect([needs].flat().includes('make')).toBe(name !== 'make')
    }
  })

  it('runs no code of the repository or its dependencies where it has an identity', () => {
    const { packages } = jobs
    if (packages === undefined) throw new Error('there is no job')
    const uses = packages.steps.flatMap(({ uses: action }) => action?.split('@')[0] ?? [])
    expect(uses).toEqual(['actions/setup-node', 'actions/download-artifact'])
    expect(commandsOf(packages)).not.toMatch(/npm (ci|install|run)|npx/)
    expect(commandsOf(packages)).toContain('npm publish "$file" --provenance')
  })
})
