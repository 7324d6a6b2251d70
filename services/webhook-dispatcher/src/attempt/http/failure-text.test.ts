import { expect, it } from '@jest/globals'
import { failureText } from './failure-text.ts'

const failure = (message: string, more: object) => Object.assign(new Error(message), more)

it.each([
  ['connect ECONNREFUSED 10.0.0.7:443', { code: 'ECONNREFUSED', syscall: 'connect' }, /refused/],
  ['read ECONNRESET', { code: 'ECONNRESET', syscall: 'read' }, /closed/],
  ['other side closed', { code: 'UND_ERR_SOCKET' }, /closed/],
  ['connect EADDRNOTAVAIL 10.0.0.7', { code: 'EADDRNOTAVAIL', syscall: 'connect' }, /failed/],
  [
    'write EPROTO 00AB:error:0A000410:SSL routines:ssl3_read_bytes:x.c:861',
    { code: 'EPROTO' },
    /TLS/,
  ],
  ['00AB:error:0A00010B:SSL routines', { code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, /TLS/],
  ['unable to verify the first certificate', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, /chain/],
  ['self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, /is self-signed/],
  [
    "Hostname/IP does not match certificate's altnames",
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    /host/,
  ],
  ['Response does not match', { name: 'HTTPParserError', code: 'HPE_INVALID_CONSTANT' }, /HTTP/],
])('a failure is told in words of the receiver: %s', (raw, more, words) => {
  const failures = [
    failure(raw, more),
    new Error('outer', { cause: failure(raw, more) }),
    new AggregateError([failure(raw, more)]),
  ]
  for (const err of failures) {
    expect(failureText(err)).toMatch(words)
    expect(failureText(err)).not.toContain(raw)
  }
})

it('keeps messages of ours', () => {
  const cause = failure('queryA ESERVFAIL x.example', { code: 'ESERVFAIL', syscall: 'queryA' })
  const unresolved = Object.assign(new Error('x.example cannot be resolved', { cause }), {
    code: 'NAME_UNRESOLVED',
  })
  expect(failureText(unresolved)).toBe('x.example cannot be resolved')
  const late = failure('no answer within 10 ms', { name: 'TimeoutError' })
  expect(failureText(new Error('outer', { cause: late }))).toBe('no answer within 10 ms')
})
