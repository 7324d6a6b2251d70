import { chmod, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, it } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { runCli } from '../cli/run-cli.ts'
import { prepareSecretsCommand } from './prepare-secrets.ts'

const variables = {
  DATABASE_URL: 'postgres://admin:secret@db:5432/surehook',
  REDIS_URL: 'redis://redis:6379',
  SMTP_URL: 'smtp://mail:25',
}

async function run(env: NodeJS.ProcessEnv, ...args: string[]) {
  const lines: string[] = []
  const notes: string[] = []
  const code = await runCli([prepareSecretsCommand], ['prepare', 'secrets', ...args], {
    env: { ...variables, ...env },
    out: (line) => void lines.push(line),
    note: (line) => void notes.push(line),
    signal: AbortSignal.timeout(30_000),
    now: Date.now,
  })
  return { code, out: lines.join('\n'), notes: notes.join('\n') }
}

/** A `kubectl` that keeps what it is called with, and says that `present` exists. */
async function openKubectl(present = '') {
  const dir = await mkdtempDisposable(`${tmpdir()}/kubectl-`)
  const log = `${dir.path}/log`
  const script = [
    '#!/bin/sh',
    `echo "$@" >>${log}`,
    `[ "$1" = get ] && echo "${present}"`,
    `[ "$1" != create ] || { cat >${dir.path}/created; echo created; }`,
    'exit 0',
  ]
  await writeFile(`${dir.path}/kubectl`, script.join('\n'))
  await chmod(`${dir.path}/kubectl`, 0o755)
  return {
    env: { PATH: `${dir.path}:/usr/bin:/bin` },
    calls: () => readFile(log, 'utf8'),
    created: () => readFile(`${dir.path}/created`, 'utf8'),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  }
}

it('prints the Secrets', async () => {
  const { code, out } = await run({}, '--namespace', 'ours')
  expect(code).toBe(0)
  const secrets = parseAllDocuments(out).map((one) => one.toJS())
  expect(secrets).toHaveLength(7)
  for (const secret of secrets) {
    expect(secret).toMatchObject({ kind: 'Secret', metadata: { namespace: 'ours' } })
  }
})

it('creates them with kubectl', async () => {
  await using kubectl = await openKubectl()
  expect(await run(kubectl.env, '--apply')).toMatchObject({ code: 0, out: 'created' })
  expect(parseAllDocuments(await kubectl.created())).toHaveLength(7)
})

it('replaces none', async () => {
  await using kubectl = await openKubectl('secret/surehook-secrets')
  const { code, notes } = await run(kubectl.env, '--apply')
  expect(code).toBe(1)
  expect(notes).toContain('nothing was created, because these are there: secret/surehook-secrets')
  expect(await kubectl.calls()).not.toMatch(/^create/m)
})
