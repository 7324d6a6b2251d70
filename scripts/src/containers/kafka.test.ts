import { readFile } from 'node:fs/promises'
import { describe, expect, it } from '@jest/globals'
import { repoRoot } from '../lib/paths.ts'
import { images } from './images.ts'
import { brokerEnvironment, kafkaContainer } from './kafka.ts'

describe('the environment of a broker in a container', () => {
  it('has the properties of the local broker, except its addresses and folders', () => {
    const properties = [
      '# listeners=PLAINTEXT://a comment',
      'listeners=PLAINTEXT://127.0.0.1:@PORT@',
      'log.dirs=@DATA@',
      'group.min.session.timeout.ms=1000',
      'a.b=c=d',
      '',
    ].join('\n')
    expect(brokerEnvironment(properties)).toEqual({
      KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
      KAFKA_A_B: 'c=d',
    })
  })

  it('advertises to clients the address at which the container is reached', async () => {
    const { env, url } = await kafkaContainer({ host: '127.0.0.1', port: 23_456 })
    expect(url).toBe('127.0.0.1:23456')
    expect(env).toMatchObject({
      KAFKA_ADVERTISED_LISTENERS: 'PLAINTEXT://127.0.0.1:23456,INSIDE://localhost:29092',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
    })
    expect(Object.values(env ?? {}).filter((value) => /@[A-Z]+@/.test(value))).toEqual([])
  })
})

it('the images are those of docker-compose.yml', async () => {
  const compose = await readFile(`${repoRoot}/docker-compose.yml`, 'utf8')
  for (const image of Object.values(images)) {
    expect(compose).toContain(`image: ${image}\n`)
  }
})
