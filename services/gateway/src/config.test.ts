import { expect, it } from '@jest/globals'
import { readConfig } from './config.ts'

const env = {
  PORT: '8080',
  INTERNAL_PORT: '9080',
  AUTH_SERVICE_URL: 'http://auth:3000',
  DATA_API_URL: 'http://data:3000',
  POSTGRES_SOURCE_URL: 'http://sources:3000',
  WEBHOOK_API_URL: 'http://webhooks:3000',
}

it('trusts no proxy and limits bodies to 1 MiB by default', () => {
  expect(readConfig(env)).toMatchObject({
    trustedProxies: [],
    bodyLimitBytes: 1_048_576,
    upstreamTimeoutMs: 30_000,
  })
})

it('takes single addresses and CIDRs as proxies', () => {
  const { trustedProxies } = readConfig({ ...env, TRUSTED_PROXIES: '10.0.0.0/8, ::1' })
  expect(trustedProxies.map(([address, prefix]) => `${address.toString()}/${prefix}`)).toEqual([
    '10.0.0.0/8',
    '::1/128',
  ])
})

it('names every fault at once', () => {
  const faulty = { ...env, AUTH_SERVICE_URL: 'auth', DATA_API_URL: undefined, TRUSTED_PROXIES: 'x' }
  expect(() => readConfig(faulty)).toThrow(
    /AUTH_SERVICE_URL: [^]*DATA_API_URL: is not set[^]*TRUSTED_PROXIES.0: "x" is not/,
  )
})

it('lets pages of every origin call unless origins are listed', () => {
  expect(readConfig(env).allowedOrigins).toEqual(['*'])
  const list = 'https://app.example.com, http://localhost:5173,capacitor://localhost'
  expect(readConfig({ ...env, CORS_ALLOWED_ORIGINS: list }).allowedOrigins).toEqual([
    'https://app.example.com',
    'http://localhost:5173',
    'capacitor://localhost',
  ])
})

it.each([
  'app.example.com',
  'https://app.example.com/',
  'https://App.example.com',
  'https://app.example.com:443',
  'https://*.example.com',
  'null',
  'https://app.example.com, *',
  ',',
])('refuses %s as origins: no browser sends it', (CORS_ALLOWED_ORIGINS) => {
  expect(() => readConfig({ ...env, CORS_ALLOWED_ORIGINS })).toThrow(/CORS_ALLOWED_ORIGINS/)
})
