import { byteSize } from '@surehook/contracts/byte-size'
import { type Finding, findingsOf } from '../finding.ts'

const { ok, warn, wrong } = findingsOf('redis')

const fullShare = 0.9
/** The oldest version that the tests cover. */
const oldest = { major: 6, minor: 2 }

export function judgeRedis(info: Readonly<Record<string, string>>): Finding[] {
  const policy = info['maxmemory_policy']
  const [used, most] = [Number(info['used_memory'] ?? 0), Number(info['maxmemory'] ?? 0)]
  const isSaved = info['aof_enabled'] === '1' ? 'appends to a file' : 'keeps snapshots at most'
  return [
    ...judgeVersion(info['redis_version']),
    ok(`${isSaved}: Surehook rebuilds or recounts what Redis loses`),
    ...(policy === 'noeviction'
      ? []
      : [
          wrong(
            `maxmemory-policy is ${policy ?? 'unknown'}`,
            'Set maxmemory-policy noeviction: Redis could evict a revocation or a lockout.',
          ),
        ]),
    ...(info['role'] === 'slave'
      ? [wrong('it is a replica, which takes no writes', 'Point REDIS_URL at the primary.')]
      : []),
    ...(most > 0 && used > most * fullShare
      ? [
          warn(
            `${byteSize(used)} of ${byteSize(most)} are used`,
            'Raise maxmemory: when it is full logins are answered 503.',
          ),
        ]
      : []),
  ]
}

function judgeVersion(version: string | undefined): Finding[] {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  if (version === undefined || version === '') {
    return [
      warn('it does not report its version', `Use Redis ${oldest.major}.${oldest.minor} or newer.`),
    ]
  }
  const isOld = major < oldest.major || (major === oldest.major && minor < oldest.minor)
  if (!isOld) return [ok(`version ${version}`)]
  return [wrong(`version ${version}`, `Use Redis ${oldest.major}.${oldest.minor} or newer.`)]
}
