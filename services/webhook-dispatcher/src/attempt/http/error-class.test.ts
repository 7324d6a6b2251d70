import { describe, expect, it } from '@jest/globals'
import { errorClassOf } from './error-class.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })

describe('errorClassOf', () => {
  it.each([
    ['NAME_UNRESOLVED', 'dns'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ECONNREFUSED', 'refused'],
    ['ECONNRESET', 'refused'],
    ['UND_ERR_SOCKET', 'refused'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['EPROTO', 'tls'],
    ['SSRF_BLOCKED', 'ssrf_blocked'],
    ['UND_ERR_HEADERS_OVERFLOW', 'http'],
    ['ANSWER_REFUSED', 'http'],
  ])('classifies %s as %s', (code, expected) => {
    expect(errorClassOf(coded(code))).toBe(expected)
  })

  it('looks at causes, and at the failures of several addresses', () => {
    expect(errorClassOf(new Error('outer', { cause: coded('ENOTFOUND') }))).toBe('dns')
    expect(errorClassOf(new AggregateError([coded('CERT_HAS_EXPIRED')]))).toBe('tls')
  })

  it('classifies invalid HTTP as such, with or without a code', () => {
    const unreadable = Object.assign(new Error('Expected HTTP/'), { name: 'HTTPParserError' })
    expect(errorClassOf(unreadable)).toBe('http')
    expect(errorClassOf(Object.assign(unreadable, coded('HPE_INVALID_CONSTANT')))).toBe('http')
  })

  it('classifies an abort as the time-out that caused it', () => {
    expect(errorClassOf(Object.assign(new Error('late'), { name: 'TimeoutError' }))).toBe('timeout')
  })
})
