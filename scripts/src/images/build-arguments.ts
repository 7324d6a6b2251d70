import { type ImageName, tagOf, tryImage, version } from './image-names.ts'

/** Docker predefines these and does not store them in images. */
const proxyVariables = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
]

/**
 * The arguments of `docker build` for one image. Values that only a build behind a mirror or proxy
 * needs come from the environment. They become arguments of discarded stages, and secrets.
 */
export function buildArguments(
  name: ImageName,
  env: NodeJS.ProcessEnv,
  revision: string,
): string[] {
  const given = ['NPM_CONFIG_REGISTRY', ...proxyVariables].filter((variable) => env[variable])
  const buildArgs = [
    `SERVICE=${name}`,
    `VERSION=${version()}`,
    `REVISION=${revision}`,
    ...(env['NODE_IMAGE'] ? [`NODE_IMAGE=${env['NODE_IMAGE']}`] : []),
    // Without a value, Docker takes it from its environment.
    ...given,
  ]
  const secrets = [
    ...(env['IMAGE_NPMRC'] ? [`id=npmrc,src=${env['IMAGE_NPMRC']}`] : []),
    ...(env['IMAGE_APT_SOURCES'] ? [`id=apt,src=${env['IMAGE_APT_SOURCES']}`] : []),
    ...(env['NODE_EXTRA_CA_CERTS'] ? [`id=ca,src=${env['NODE_EXTRA_CA_CERTS']}`] : []),
  ]
  return [
    'build',
    ...['--file', 'deploy/docker/Dockerfile', '--tag', tagOf(name, env)],
    ...(name === tryImage ? ['--target', tryImage] : []),
    ...buildArgs.flatMap((arg) => ['--build-arg', arg]),
    ...secrets.flatMap((secret) => ['--secret', secret]),
    ...(env['DOCKER_BUILD_OPTIONS']?.split(/\s+/).filter((option) => option !== '') ?? []),
    '.',
  ]
}
