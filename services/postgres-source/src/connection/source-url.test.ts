import { describe, expect, test } from '@jest/globals'
import { parseSourceUrl } from './source-url.ts'

describe('parseSourceUrl', () => {
  test('returns the parts, decoded, and verifies the certificate by default', () => {
    expect(parseSourceUrl('postgresql://app%40x:p%2Fw%3A@db.example:6432/My%20Shop')).toEqual({
      address: {
        ...{ host: 'db.example', port: 6432, user: 'app@x', password: 'p/w:' },
        ...{ database: 'My Shop', sslMode: 'verify-full' },
      },
    })
    expect(parseSourceUrl('postgres://a:b@[2001:db8::1]/c?sslmode=disable')).toEqual({
      address: {
        ...{ host: '2001:db8::1', port: 5432, user: 'a', password: 'b' },
        ...{ database: 'c', sslMode: 'disable' },
      },
    })
  })

  test.each([
    ['mysql://secret:secret@db.example/x', 'must be a URL that begins with postgresql://'],
    ['secret', 'must be a URL that begins with postgresql://'],
    ['postgresql://secret@db.example/x', 'must have a password'],
    ['postgresql://:secret@db.example/x', 'must name a user'],
    ['postgresql://a:secret@db.example/', 'must name a database'],
    ['postgresql://a:%zz@db.example/x', 'must have a password'],
    ['postgresql:///secret', 'must name a host'],
    ['postgresql://a:secret@db.example/x?host=/run', 'must have no parameter but sslmode'],
    ['postgresql://a:secret@db.example/x?options=-c%20a', 'must have no parameter but sslmode'],
    [
      'postgresql://a:secret@db.example/x?sslmode=prefer',
      'must have one of these sslmodes: verify-full, require, disable',
    ],
  ])('refuses %s without quoting it', (url, fault) => {
    expect(parseSourceUrl(url)).toEqual({ fault })
  })
})
