import { randomBytes } from 'node:crypto'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { type KafkaUser, kafkaUsers } from '@surehook/contracts/access/kafka-access'
import { type RedisUser, redisUsers } from '@surehook/contracts/access/redis-access'
import { newKeys, openAuthority } from '../../receiver/certificates.ts'

/** The credentials of a secured stack's components and clients. */
export type Credentials = {
  caFile: string
  certificateFile: string
  keyFile: string
  ca: string
  /** Passwords by user. `admin` may do everything. */
  kafka: Readonly<Record<KafkaUser | 'admin', string>>
  redis: Readonly<Record<RedisUser | 'admin', string>>
  registry: { username: string; password: string }
  /** Writes a new certificate for the same key. Servers have to be told to reload it. */
  renew(notAfter?: Date): Promise<void>
}

const password = () => randomBytes(18).toString('hex')

const passwordsOf = <User extends string>(users: readonly User[]) =>
  Object.fromEntries(users.map((user) => [user, password()])) as Record<User, string>

/** Makes an authority, a certificate for this host or other names, and a password for each user. */
export async function makeCredentials(
  dir: string,
  names?: readonly string[],
): Promise<Credentials> {
  const authority = await openAuthority()
  const { ca } = authority
  await mkdir(dir, { recursive: true, mode: 0o755 })
  const file = async (name: string, text: string, mode: number) => {
    await writeFile(`${dir}/${name}`, text, { mode })
    await chmod(`${dir}/${name}`, mode)
    return `${dir}/${name}`
  }
  const certificateFile = `${dir}/server.pem`
  const keyFile = `${dir}/server.key`
  const keys = await newKeys()
  const renew = async (notAfter?: Date) => {
    const { cert, key } = await authority.issue({
      keys,
      ...(names && { names }),
      ...(notAfter && { notAfter }),
    })
    await file('server.pem', cert, 0o644)
    await file('server.key', key, 0o600)
  }
  await renew()
  return {
    ca,
    caFile: await file('ca.pem', ca, 0o644),
    certificateFile,
    keyFile,
    renew,
    kafka: passwordsOf([...kafkaUsers, 'admin']),
    redis: passwordsOf([...redisUsers, 'admin']),
    registry: { username: 'surehook', password: password() },
  }
}
