import { ids, type OperationExamples } from './operation-example.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'
const tokens = {
  accessToken: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIwMTk5YTFjNCJ9.c2lnbmF0dXJl',
  refreshToken: 'rt_Zm9yLXRoZS1yZWZlcmVuY2Utb25seQ',
}
const user = {
  id: ids.user,
  email,
  firstName: 'Ada',
  lastName: 'Lovelace',
  roles: ['clerk'],
}

const me = {
  ...user,
  emailVerified: true,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-02-01T08:30:00.000Z',
}

const jwks = {
  keys: [{ kty: 'RSA', kid: 'b3f1c2a4', use: 'sig', alg: 'RS256', n: 'u1W_jH4…', e: 'AQAB' }],
}
const issuer = 'https://api.example.com/auth/shop/master'
const metadata = {
  issuer,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  response_types_supported: [],
  grant_types_supported: [],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
}

export const authExamples: OperationExamples = {
  getMe: { reply: me },
  updateMe: { body: { firstName: 'Ada', lastName: 'King' }, reply: { ...me, lastName: 'King' } },
  changePassword: {
    body: { oldPassword: password, newPassword: 'staple the battery' },
    reply: { message: 'The password is changed' },
  },
  listSessions: {
    reply: {
      sessions: [
        {
          id: ids.session,
          createdAt: '2026-01-31T12:00:00.000Z',
          lastUsedAt: '2026-02-01T08:30:00.000Z',
          current: true,
        },
      ],
      nextCursor: null,
    },
  },
  endSession: { parameters: { id: ids.session } },
  getAuthSettings: {
    reply: {
      emailVerification: true,
      encryptTokens: false,
      password: {
        minLength: 8,
        maxLength: 128,
        minScore: 0,
        breachCheck: false,
        rules: ['too_short', 'too_long', 'invalid_text', 'contains_email', 'common'],
      },
    },
  },
  signup: {
    body: { email, password, firstName: 'Ada', lastName: 'Lovelace' },
    reply: {
      userId: ids.user,
      message: 'Confirm your e-mail address with the code that was sent to it',
    },
  },
  confirmSignup: { body: { email, code: '123456' }, reply: { ...tokens, user } },
  resendCode: {
    body: { email },
    reply: { message: 'If the address waits for its confirmation, a new code is on its way' },
  },
  login: { body: { email, password }, reply: { ...tokens, user } },
  recoverPassword: {
    body: { email },
    reply: { message: 'If the address is registered, a code is on its way to it' },
  },
  resetPassword: {
    body: { email, newPassword: 'staple the battery', code: '123456' },
    reply: { message: 'The password is changed' },
  },
  refreshToken: { body: { refreshToken: tokens.refreshToken }, reply: tokens },
  logout: { reply: { message: 'You are logged out' } },
  getJwks: { reply: jwks },
  getIssuerJwks: { reply: jwks },
  getOpenIdConfiguration: { reply: metadata },
  getIssuerMetadata: { reply: metadata },
  getAuthorizationServerMetadata: { reply: metadata },
  authGraphQL: {
    body: {
      query:
        'mutation ($password: String!) { login(email: "ada@example.com", password: $password) { accessToken } }',
      variables: { password },
    },
    reply: { data: { login: { accessToken: tokens.accessToken } } },
  },
}
