import { describe, expect, test } from '@jest/globals'
import { render } from './chart.ts'
import { ofKind } from './kube-objects.ts'
import { environmentOf } from './rendered-environment.ts'

const rendering = render('values-production-example.yaml')

test('the gateway is what clients are led to, by an Ingress or a route', async () => {
  const [ingress] = ofKind(await rendering, 'Ingress')
  const backend = { service: { name: 'surehook-gateway', port: { name: 'http' } } }
  expect(ingress?.spec.rules).toMatchObject([
    { host: 'surehook.example.com', http: { paths: [{ path: '/', backend }] } },
  ])
  const [route] = ofKind(await render('ci/gateway-api-values.yaml'), 'HTTPRoute')
  expect(route?.spec).toMatchObject({
    parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
    hostnames: ['surehook.example.com'],
    rules: [{ backendRefs: [{ name: 'surehook-gateway', port: 8080 }] }],
  })
})

describe('what is led to the gateway', () => {
  const paths = ['/auth/login', '/gw/api']

  test('by an Ingress is what is named', async () => {
    const [ingress] = ofKind(
      await render('values-production-example.yaml', { ingress: { paths } }),
      'Ingress',
    )
    const backend = { service: { name: 'surehook-gateway', port: { name: 'http' } } }
    expect(ingress?.spec.rules).toEqual([
      {
        host: 'surehook.example.com',
        http: { paths: paths.map((path) => ({ path, pathType: 'Prefix', backend })) },
      },
    ])
  })

  test('by a route is what is named', async () => {
    const [route] = ofKind(
      await render('ci/gateway-api-values.yaml', { httpRoute: { paths } }),
      'HTTPRoute',
    )
    expect(route?.spec.rules).toEqual([
      {
        matches: paths.map((value) => ({ path: { type: 'PathPrefix', value } })),
        backendRefs: [{ name: 'surehook-gateway', port: 8080 }],
      },
    ])
  })

  test('is everything where nothing is named, and never nothing', async () => {
    const [route] = ofKind(await render('ci/gateway-api-values.yaml'), 'HTTPRoute')
    expect(route?.spec.rules).toMatchObject([{ matches: [{ path: { value: '/' } }] }])
    const none = { ingress: { paths: [] } }
    await expect(render('values-production-example.yaml', none)).rejects.toThrow(/ingress.paths/)
  })
})

describe('pages that may call from a browser', () => {
  const allowed = async (over: object) => {
    const env = environmentOf(await render('ci/minimal-values.yaml', over), 'gateway')
    return env['CORS_ALLOWED_ORIGINS']
  }

  test.each([
    ['https://Surehook.example.com/base', 'https://surehook.example.com'],
    ['https://surehook.example.com:443', 'https://surehook.example.com'],
    ['https://surehook.example.com:8443/', 'https://surehook.example.com:8443'],
    ['http://localhost:80', 'http://localhost'],
  ])('are those of the origin of %s where none are named', async (PUBLIC_URL, origin) => {
    expect(await allowed({ config: { PUBLIC_URL } })).toBe(origin)
  })

  test('are those of the origins that are named', async () => {
    const config = { CORS_ALLOWED_ORIGINS: 'https://app.example.com' }
    expect(await allowed({ services: { gateway: { config } } })).toBe('https://app.example.com')
  })
})
