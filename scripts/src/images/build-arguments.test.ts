import { readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'
import { buildArguments } from './build-arguments.ts'
import { imageNames, tagOf, version } from './image-names.ts'

it('builds under the names that docker-compose.yml starts', () => {
  const compose = readFileSync(`${repoRoot}/docker-compose.yml`, 'utf8')
  const started = [
    ...compose.matchAll(/image: \$\{IMAGE_PREFIX:-(\w+)\}\/(\S+):\$\{IMAGE_TAG:-(\S+)\}$/gm),
  ]
  const tags = started.map(([, prefix, name, tag]) => `${prefix}/${name}:${tag}`)
  expect([...new Set(tags)].toSorted()).toEqual(
    imageNames.map((name) => tagOf(name, {})).toSorted(),
  )
  expect(tagOf('gateway', { IMAGE_PREFIX: 'registry.example/hooks', IMAGE_TAG: 'x' })).toBe(
    'registry.example/hooks/gateway:x',
  )
})

it('passes values that only the build needs as arguments without values and as secrets', () => {
  const env = {
    HTTPS_PROXY: 'http://user:secret@proxy:3128',
    NPM_CONFIG_REGISTRY: 'https://mirror.example',
    NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
    IMAGE_NPMRC: '/root/.npmrc',
    IMAGE_APT_SOURCES: '/etc/apt/mirror.list',
    DOCKER_BUILD_OPTIONS: '--network host',
  }
  const args = buildArguments('gateway', env, 'abc')
  expect(args.join(' ')).toBe(
    `build --file deploy/docker/Dockerfile --tag surehook/gateway:${version()} ` +
      `--build-arg SERVICE=gateway --build-arg VERSION=${version()} --build-arg REVISION=abc ` +
      '--build-arg NPM_CONFIG_REGISTRY --build-arg HTTPS_PROXY ' +
      '--secret id=npmrc,src=/root/.npmrc --secret id=apt,src=/etc/apt/mirror.list ' +
      '--secret id=ca,src=/etc/ca.pem --network host .',
  )
})
