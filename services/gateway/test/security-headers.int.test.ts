import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type Stand, startStand } from './gateway.ts'

const names = [
  'strict-transport-security',
  'x-content-type-options',
  'content-security-policy',
  'referrer-policy',
]

let open: Stand
let secure: Stand

beforeAll(async () => {
  open = await startStand({ PUBLIC_URL: 'http://localhost:8080' })
  secure = await startStand({ PUBLIC_URL: 'https://hooks.example.com' })
})
afterAll(async () => {
  await open?.[Symbol.asyncDispose]()
  await secure?.[Symbol.asyncDispose]()
})

const paths = ['/gw/api/rest/orders', '/auth/login', '/healthz', '/openapi/auth.json', '/nothing']

it.each(paths)(
  '%s tells browsers to come by https only, where that is how it is reached',
  async (path) => {
    const { headers } = await fetch(secure.url + path)
    expect(names.map((name) => headers.get(name))).toEqual([
      'max-age=31536000',
      'nosniff',
      "default-src 'none'; frame-ancestors 'none'",
      'no-referrer',
    ])
    const plain = await fetch(open.url + path)
    expect(plain.headers.get('strict-transport-security')).toBeNull()
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff')
  },
)
