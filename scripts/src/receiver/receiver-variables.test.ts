import { expect, it } from '@jest/globals'
import { receiverVariables } from './receiver-variables.ts'

const defaults = {
  demoCa: { certificateFile: '/ca/server.pem', keyFile: '/ca/server.key' },
  secret: 'whsec_c2VjcmV0',
  inbox: '/inbox',
}

it("listens on a port of its own, not on the system's", () => {
  expect(receiverVariables({ PORT: '8090' }, defaults)).toEqual({
    PORT: '9443',
    INBOX: '/inbox',
    TLS_CERT: '/ca/server.pem',
    TLS_KEY: '/ca/server.key',
    WEBHOOK_SECRETS: '["whsec_c2VjcmV0"]',
  })
  expect(receiverVariables({ PORT: '8090', RECEIVER_PORT: '9543' }, defaults).PORT).toBe('9543')
})

it('takes the other variables of the receivers from the environment', () => {
  const given = { INBOX: 'mine', TLS_CERT: 'c', TLS_KEY: 'k', WEBHOOK_SECRETS: '["a"]' }
  expect(receiverVariables(given, defaults)).toEqual({ PORT: '9443', ...given })
})
