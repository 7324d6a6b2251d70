import { cp, mkdir, mkdtempDisposable, readdir, readFile, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { repoRoot } from '@surehook/scripts/lib/paths'
import { installQuietly } from '@surehook/scripts/published/installed-packages'
import { installationPages } from '@surehook/scripts/release/installation'
import { packForInstalling } from '@surehook/scripts/release/pack-for-installing'
import { commandsOf, startShell } from '../support/commands/checkout.ts'

type Page = { file: string; packages: string[] }

async function pageOf(file: string): Promise<Page> {
  const page = await readFile(`${repoRoot}/${file}`, 'utf8')
  const [, packages = ''] = /^\[\/\/install\]: # \((.+)\)$/m.exec(page) ?? []
  return { file, packages: packages.split(' ') }
}

/** Pages that together install every package. One function writes the commands of all pages. */
const pages = (await Promise.all((await installationPages()).map(pageOf)))
  .toSorted((a, b) => b.packages.length - a.packages.length)
  .filter(({ packages }, n, all) => {
    const before = all.slice(0, n).flatMap((page) => page.packages)
    return packages.some((name) => !before.includes(name))
  })

/** Keeps npm from asking the registry for what its cache has. */
const quiet = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_prefer_offline: 'true',
  npm_config_ignore_scripts: 'true',
}

async function runIn(dir: string, commands: string): Promise<string> {
  await using shell = startShell(dir, commands, quiet)
  expect({ code: await shell.ended, out: shell.out() }).toMatchObject({ code: 0 })
  return shell.out()
}

describe('after `npm run pack`', () => {
  beforeAll(async () => {
    await packForInstalling()
  })

  it.each(pages)(
    'the installation of $file works as printed, in a new folder',
    async ({ file, packages }) => {
      const [install] = (await commandsOf({ file })).filter((block) =>
        block.includes('npm install '),
      )
      if (install === undefined) throw new Error(`${file} installs nothing`)
      await using dir = await mkdtempDisposable(join(tmpdir(), 'surehook-installation-'))
      await runIn(dir.path, install.replace('../surehook ', `${repoRoot} `))
      const { dependencies } = JSON.parse(await readFile(`${dir.path}/package.json`, 'utf8'))
      expect(Object.keys(dependencies).toSorted()).toEqual(packages.toSorted())
      if ('surehook' in dependencies) {
        expect(await runIn(dir.path, 'node_modules/.bin/surehook --version')).toMatch(
          /^surehook \d/,
        )
      }
    },
  )
})

it('what `npm pack` makes of the command installs alone', async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), 'surehook-npm-pack-'))
  const clone = join(temp.path, 'clone')
  await mkdir(`${clone}/packages`, { recursive: true })
  const others = (await readdir(repoRoot)).filter((name) => name !== 'packages' && name !== '.git')
  for (const name of others) await symlink(`${repoRoot}/${name}`, `${clone}/${name}`)
  const filter = (path: string) => basename(path) !== 'node_modules'
  await cp(`${repoRoot}/packages`, `${clone}/packages`, { recursive: true, filter })
  const cli = `${clone}/packages/cli`
  const manifest = await readFile(`${cli}/package.json`, 'utf8')
  await using shell = startShell(cli, `npm pack --silent --pack-destination ${temp.path}`, {})
  expect({ code: await shell.ended, out: shell.out() }).toMatchObject({ code: 0 })
  expect(await readFile(`${cli}/package.json`, 'utf8')).toBe(manifest)
  const project = join(temp.path, 'project')
  await mkdir(project)
  const [archive = ''] = (await readdir(temp.path)).filter((name) => name.endsWith('.tgz'))
  await installQuietly(project, [join(temp.path, archive)])
  expect(await runIn(project, 'node_modules/.bin/surehook --version')).toMatch(/^surehook \d/)
})
