import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { cacheDir, localDir, state } from './lib/paths.ts'
import { ownerOf } from './lib/process-group.ts'
import { removeStackData } from './local-stack/local-stack.ts'

/** `npm run reset [-- --all]`: removes the state of `npm start`; with --all the downloads as well. */
const all = process.argv.includes('--all')
const owners = await Promise.all([ownerOf(state.systemDir), ownerOf(state.stackDir)])
const owner = owners.find((pid) => pid !== null)

if (owner !== undefined) {
  console.error(`Surehook is running (process ${owner}): stop it first`)
  process.exitCode = 1
} else if (existsSync(localDir)) {
  await removeStackData(state.stackDir)
  for (const name of await readdir(localDir)) {
    const path = `${localDir}/${name}`
    if (all || path !== cacheDir) await rm(path, { recursive: true, force: true })
  }
  console.log(all ? 'state and downloads removed' : 'state removed, downloads kept')
} else {
  console.log('nothing to remove')
}
