import { expect, it } from '@jest/globals'
import { environmentOf, logLevelOf, services } from './environments.ts'

const env = {
  HOST: '0.0.0.0',
  PORT: '8080',
  LOG_LEVEL: 'info',
  LOG_LEVEL_DATA_API: 'debug',
  KAFKA_BROKERS: 'kafka:9092',
  DATABASE_URL_AUTH_SERVICE: 'postgres://auth',
  DATABASE_URL_DATA_API: 'postgres://data',
  AUTH_TRUSTED_PROXIES: '10.0.0.0/8',
}

it('gives a service the variables with its name instead of the common ones', () => {
  expect(environmentOf('data-api', env)).toMatchObject({
    DATABASE_URL: 'postgres://data',
    KAFKA_BROKERS: 'kafka:9092',
    LOG_LEVEL: 'debug',
  })
  expect(environmentOf('auth-service', env)).toMatchObject({
    DATABASE_URL: 'postgres://auth',
    LOG_LEVEL: 'info',
  })
  expect(environmentOf('webhook-api', env)).not.toHaveProperty('DATABASE_URL')
})

it('lets only the gateway listen on the address of the process', () => {
  for (const service of services) {
    const { HOST, PORT } = environmentOf(service, env)
    const isGateway = service === 'gateway'
    expect([HOST, PORT]).toEqual(isGateway ? ['0.0.0.0', '8080'] : ['127.0.0.1', '0'])
  }
})

it("trusts the gateway's client addresses, because only it calls the services", () => {
  const { AUTH_TRUSTED_PROXIES } = environmentOf('auth-service', env)
  expect(AUTH_TRUSTED_PROXIES).toBe('0.0.0.0/0,::/0')
})

it('knows the log level of each service', () => {
  expect(['data-api', 'gateway', 'single-process'].map((name) => logLevelOf(name, env))).toEqual([
    'debug',
    'info',
    'info',
  ])
})
