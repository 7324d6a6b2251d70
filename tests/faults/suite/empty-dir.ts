import { mkdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ownerOf } from '@surehook/scripts/lib/processes/process-group'
import { removeStackData } from '@surehook/scripts/local-stack/local-stack'

/** Deletes the files of an earlier run. */
export async function emptyDir(path: string): Promise<string> {
  const dir = resolve(path)
  const owner = await ownerOf(`${dir}/stack`)
  if (owner !== null) throw new Error(`${dir} is in use by the running process ${owner}`)
  await removeStackData(`${dir}/stack`)
  await rm(`${dir}/services`, { recursive: true, force: true })
  await mkdir(dir, { recursive: true })
  return dir
}
