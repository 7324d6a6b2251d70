// `prune.mjs <out> [service]`: what all images are built from; with a service, what that one installs to run.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { workspacesOf } from './workspace.mjs'

const [out, service] = process.argv.slice(2)
if (out === undefined) throw new Error('usage: prune.mjs <out> [service]')
prune(service === undefined ? deployables() : [service])
if (service !== undefined) forgetDevDependencies(`${out}/json`)

/** @param {string[]} services */
function prune(services) {
  const scope = service === undefined ? [] : ['--production']
  const args = ['prune', ...services.flatMap(workspacesOf), ...scope, '--docker', '--out-dir', out]
  const { status } = spawnSync('turbo', args, { stdio: 'inherit' })
  if (status !== 0) throw new Error('turbo prune failed')
}

function deployables() {
  return [...readdirSync('services'), 'operator-cli', 'try']
}

/** npm would look for them, workspaces that are left out included, even where it must not install them. */
function forgetDevDependencies(dir) {
  const manifest = edit(`${dir}/package.json`, (root) => {
    root.devDependencies = undefined
    // Node for machines whose own is too old; an image has its own.
    root.optionalDependencies = undefined
  })
  for (const workspace of manifest.workspaces) {
    edit(`${dir}/${workspace}/package.json`, (one) => {
      one.devDependencies = undefined
    })
  }
  edit(`${dir}/package-lock.json`, ({ packages }) => {
    packages[''].optionalDependencies = undefined
    for (const path of ['', ...manifest.workspaces]) packages[path].devDependencies = undefined
  })
}

/** @param {string} file @param {(content: any) => void} change */
function edit(file, change) {
  const content = JSON.parse(readFileSync(file, 'utf8'))
  change(content)
  writeFileSync(file, JSON.stringify(content, null, 2))
  return content
}
