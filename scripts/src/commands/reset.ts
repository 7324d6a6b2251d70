import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { cacheDir, localDir, state } from '../lib/paths.ts'
import { ownerOf } from '../lib/processes/process-group.ts'
import { removeStackData } from '../local-stack/local-stack.ts'
import { removeContainers } from '../start/container-infrastructure.ts'

/**
 * `npm run reset [-- --all]`: removes the state of `npm start`, and with --all also the downloads.
 */
const all = process.argv.includes('--all')
const dirs = [state.systemDir, state.stackDir, state.containersDir]
const owner = (await Promise.all(dirs.map(ownerOf))).find((pid) => pid !== null)

if (owner !== undefined) {
  console.error(`Surehook is running (process ${owner}): stop it first`)
  process.exitCode = 1
} else if (existsSync(localDir)) {
  await removeContainers()
  await removeStackData(state.stackDir)
  for (const name of await readdir(localDir)) {
    const path = `${localDir}/${name}`
    if (!staysHere(path)) await rm(path, { recursive: true, force: true })
  }
  console.log(all ? 'state and downloads removed' : 'state removed, downloads kept')
} else {
  console.log('nothing to remove')
}

function staysHere(path: string): boolean {
  if (path === cacheDir) return !all
  // The secrets of docker-compose.yml stay, because its volumes are readable only with them.
  const isOfCompose = path === state.composeDir || path === state.demoCaDir
  return isOfCompose && existsSync(state.composeDir)
}
