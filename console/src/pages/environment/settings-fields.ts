/** A setting, by its path in the answer of the API. Violations name the same path. */
export type SettingField = {
  path: string
  label: string
  /**
   * `list`: texts, separated by commas. `urls`: objects with a `url`, in the same way. `json`: a list
   * of objects.
   */
  kind: 'flag' | 'number' | 'seconds' | 'text' | 'list' | 'urls' | 'json'
  hint?: string
  /** The values that it may have, each with its words. */
  choices?: readonly (readonly [value: string, words: string])[]
}

export type SettingGroup = { title: string; fields: readonly SettingField[] }

const flag = (path: string, label: string): SettingField => ({ path, label, kind: 'flag' })
const number = (path: string, label: string, hint?: string): SettingField => ({
  path,
  label,
  kind: 'number',
  ...(hint !== undefined && { hint }),
})
const seconds = (path: string, label: string, hint?: string): SettingField => ({
  ...number(path, label, hint),
  kind: 'seconds',
})
const text = (path: string, label: string, hint?: string): SettingField => ({
  ...number(path, label, hint),
  kind: 'text',
})

const byInstallation = 'Empty: the default of the installation'
const limitsOf = (api: 'data' | 'webhooks'): readonly SettingField[] => [
  number(`limits.${api}.perSecond`, 'Requests per second', byInstallation),
  number(`limits.${api}.burst`, 'Burst', byInstallation),
  number(`limits.${api}.perTokenPerSecond`, 'Requests per second of one token', byInstallation),
]

export const settingGroups: readonly SettingGroup[] = [
  {
    title: 'Sign-in of users',
    fields: [
      flag('auth.enabled', 'Users can sign in'),
      flag('auth.emailVerification', 'Users confirm their address first'),
      flag('auth.encryptTokens', 'Encrypt access tokens (JWE)'),
      text('auth.defaultRole', 'Role of new users', 'Empty: none'),
      seconds('auth.unverifiedAccountTtl', 'Keep unconfirmed accounts'),
    ],
  },
  {
    title: 'Sessions',
    fields: [
      seconds('auth.accessTokenTtl', 'Lifetime of access tokens'),
      seconds('auth.refreshTokenTtl', 'Lifetime of refresh tokens'),
      seconds(
        'auth.refreshReuseInterval',
        'Repeat of the last refresh',
        'How long the last refresh may be repeated',
      ),
    ],
  },
  {
    title: 'Passwords and locks',
    fields: [
      number('auth.password.minLength', 'Shortest password', 'Characters'),
      number('auth.password.minScore', 'Lowest zxcvbn score', '0 to 4. 0: no check'),
      flag('auth.password.breachCheck', 'Refuse passwords known from a breach'),
      number('auth.lockout.threshold', 'Failed logins before a lock'),
      seconds('auth.lockout.duration', 'Duration of a lock'),
      {
        path: 'auth.lockout.scope',
        label: 'A lock keeps out',
        kind: 'text',
        choices: [
          ['client', 'the IP address that failed'],
          ['account', 'every IP address'],
        ],
      },
    ],
  },
  {
    title: 'Mail',
    fields: [
      text('auth.mail.senderName', 'Name of the sender', byInstallation),
      text('auth.mail.senderAddress', 'Address of the sender', byInstallation),
      text('auth.mail.projectName', 'Name of the project in mails', 'Empty: not named'),
      text('auth.mail.confirmUrl', 'Link to confirm an address', 'With {code} and {email}'),
      text('auth.mail.resetUrl', 'Link to a new password', 'With {code} and {email}'),
      {
        path: 'auth.mail.locale',
        label: 'Language',
        kind: 'text',
        choices: [
          ['en', 'English'],
          ['de', 'Deutsch'],
          ['fr', 'Français'],
          ['es', 'Español'],
        ],
      },
      text('auth.mail.verificationSubject', 'Subject of confirmations', 'Empty: by language'),
      text('auth.mail.recoverySubject', 'Subject of recoveries', 'Empty: by language'),
      flag('auth.mail.notices', 'Tell users of new passwords and locks'),
    ],
  },
  {
    title: 'Users who log in elsewhere',
    fields: [
      {
        path: 'trustedIssuers',
        label: 'Trusted issuers',
        kind: 'json',
        hint:
          'OpenID providers whose access tokens are accepted: ' +
          '[{ "issuer": "https://…", "audience": "…", "rolesClaim": "roles" }]',
      },
    ],
  },
  {
    title: 'Alerts about webhooks',
    fields: [
      {
        path: 'notify.emails',
        label: 'Mail to',
        kind: 'list',
        hint: 'Addresses, separated by commas. They hear when a webhook fails and recovers',
      },
      {
        path: 'notify.chats',
        label: 'Chats',
        kind: 'urls',
        hint: 'Webhook URLs of Slack, Teams or Discord, separated by commas. A stored one shows its end',
      },
      seconds('notify.digestInterval', 'At most one alert in'),
    ],
  },
  { title: 'Limits of the data API', fields: limitsOf('data') },
  { title: 'Limits of the webhook API', fields: limitsOf('webhooks') },
]

export const settingFields: readonly SettingField[] = settingGroups.flatMap(({ fields }) => fields)
