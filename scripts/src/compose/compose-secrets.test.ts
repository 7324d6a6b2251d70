import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { databaseServices } from '../system/service-catalog.ts'
import { keepComposeSecrets } from './compose-secrets.ts'

it('keeps the secrets, and adds those of a service that is new', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'compose-secrets-'))
  try {
    const file = join(dir, 'secrets.json')
    const { adminToken, databasePasswords } = await keepComposeSecrets(file)
    const { 'postgres-source': _new, ...older } = databasePasswords
    await writeFile(file, JSON.stringify({ adminToken, databasePasswords: older }))
    const kept = await keepComposeSecrets(file)
    expect(kept).toMatchObject({ adminToken, databasePasswords: older })
    expect(Object.keys(kept.databasePasswords).toSorted()).toEqual(databaseServices.toSorted())
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(kept)
  } finally {
    await rm(dir, { recursive: true })
  }
})
