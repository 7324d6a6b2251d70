import { describe, expect, it } from '@jest/globals'
import { httpsUrlFault } from './https-url.ts'

describe('httpsUrlFault', () => {
  it.each([
    'https://receiver.example',
    'https://receiver.example/hooks/1?a=b&c=%20',
    'https://receiver.example:8443/@me',
    'HTTPS://Receiver.Example/',
    'https://127.0.0.1/',
    'https://[::1]:9443/x',
    'https://bücher.example/ü',
    `https://receiver.example/${'a'.repeat(2048 - 25)}`,
  ])('accepts %s', (url) => expect(httpsUrlFault(url)).toBeNull())

  it.each([
    ['', 'absolute'],
    ['receiver.example', 'absolute'],
    ['/hooks', 'absolute'],
    ['http://receiver.example/', 'use https'],
    ['ftp://receiver.example/', 'use https'],
    ['javascript:alert(1)', 'use https'],
    ['https:receiver.example', 'absolute'],
    ['https:/receiver.example', 'absolute'],
    ['https:///receiver.example', 'absolute'],
    ['https:\\\\receiver.example', 'absolute'],
    ['https://receiver.example\\x', 'absolute'],
    ['https://', 'absolute'],
    ['https://?x', 'absolute'],
    [' https://receiver.example/', 'absolute'],
    ['https://receiver.example/ ', 'absolute'],
    ['https://receiver.example/a b', 'absolute'],
    ['https://receiver.example/\n', 'absolute'],
    ['https://receiver.example/\0', 'absolute'],
    ['https://receiver.example/\ud800', 'absolute'],
    ['https://exa mple/', 'absolute'],
    ['https://receiver.example:99999/', 'absolute'],
    ['https://receiver.example:0/', 'port 0'],
    ['https://user@receiver.example/', 'credentials'],
    ['https://user:pass@receiver.example/', 'credentials'],
    ['https://:@receiver.example/', 'credentials'],
    ['https://@receiver.example/', 'credentials'],
    ['https://receiver.example/#top', 'fragment'],
    ['https://receiver.example/#', 'fragment'],
    [`https://receiver.example/${'a'.repeat(2048)}`, '2048'],
  ])('refuses %j: %s', (url, reason) => expect(httpsUrlFault(url)).toContain(reason))
})
