import { describe, expect, it } from '@jest/globals'
import { changesOf, draftOf } from './settings-draft.ts'
import { settingFields } from './settings-fields.ts'

const none = { perSecond: null, burst: null, perTokenPerSecond: null }

const settings: Parameters<typeof draftOf>[0] = {
  auth: {
    enabled: true,
    emailVerification: true,
    encryptTokens: false,
    accessTokenTtl: 900,
    refreshTokenTtl: 2_592_000,
    refreshReuseInterval: 0,
    unverifiedAccountTtl: 86_400,
    lockout: { threshold: 5, duration: 900, scope: 'client' },
    password: { minLength: 8, minScore: 0, breachCheck: false },
    mail: {
      senderName: null,
      senderAddress: null,
      projectName: 'Shop',
      confirmUrl: null,
      resetUrl: null,
      locale: 'en',
      notices: true,
      verificationSubject: null,
      recoverySubject: null,
    },
    defaultRole: null,
  },
  limits: { data: none, webhooks: none },
  notify: {
    emails: ['a@b.example', 'c@d.example'],
    chats: [{ url: 'https://hooks.slack.com/…WXYZ', kind: 'slack' }],
    digestInterval: 300,
    failures: [],
  },
  trustedIssuers: [
    {
      issuer: 'https://a.example/',
      audience: ['x', 'y'],
      rolesClaim: 'roles',
      userIdClaim: 'sub',
    },
  ],
}
const stored = draftOf(settings)

const isSet = (path: string) => path !== 'notify.failures'

/** The paths of all values in it. */
function pathsIn(value: object, before = ''): string[] {
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? pathsIn(inner, `${before}${name}.`)
      : [`${before}${name}`],
  )
}

describe('the settings of an environment', () => {
  it('has a field for every setting', () => {
    expect(settingFields.map(({ path }) => path).toSorted()).toEqual(
      pathsIn(settings).filter(isSet).toSorted(),
    )
  })

  it('changes nothing unless somebody changed something', () => {
    expect(changesOf(stored, stored)).toEqual({ input: {}, violations: [], count: 0 })
  })

  it('sends only what was changed, with its type', () => {
    const draft = {
      ...stored,
      'auth.enabled': '',
      'auth.password.breachCheck': 'true',
      'auth.lockout.threshold': ' 7 ',
      'auth.lockout.scope': 'account',
      'auth.mail.projectName': '',
      'limits.data.burst': '100',
      'notify.emails': 'a@b.example, e@f.example',
      'notify.chats': 'https://hooks.slack.com/…WXYZ, https://chat.example/new',
      trustedIssuers: '[{ "issuer": "https://b.example", "audience": "x" }]',
    }
    expect(changesOf(draft, stored)).toEqual({
      input: {
        auth: {
          enabled: false,
          password: { breachCheck: true },
          lockout: { threshold: 7, scope: 'account' },
          mail: { projectName: null },
        },
        limits: { data: { burst: 100 } },
        notify: {
          emails: ['a@b.example', 'e@f.example'],
          chats: [{ url: 'https://hooks.slack.com/…WXYZ' }, { url: 'https://chat.example/new' }],
        },
        trustedIssuers: [{ issuer: 'https://b.example', audience: 'x' }],
      },
      violations: [],
      count: 9,
    })
  })

  it('shows the settings of an older auth-service, which has no limits', () => {
    const { notify: _alerts, trustedIssuers: _issuers, ...older } = settings
    expect(draftOf({ auth: settings.auth })).toEqual(draftOf(older))
  })

  it('names a number that is none', () => {
    const { violations } = changesOf({ ...stored, 'auth.accessTokenTtl': '15m' }, stored)
    expect(violations).toEqual([
      { field: 'auth.accessTokenTtl', message: 'must be a whole number' },
    ])
  })

  it('names JSON that is none', () => {
    const { input, violations } = changesOf({ ...stored, trustedIssuers: '[{' }, stored)
    expect(input).toEqual({})
    expect(violations).toEqual([{ field: 'trustedIssuers', message: 'must be JSON' }])
  })
})
