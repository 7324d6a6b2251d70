import { authorizedFetch } from './authorized-fetch.ts'
import { systemClock } from './clock.ts'
import { SignedOutError } from './errors.ts'
import type {
  ChangePasswordData,
  ConfirmSignupData,
  ListSessionsData,
  ListSessionsResponse,
  LoggedIn,
  LoginData,
  Me,
  Message,
  PublicSettings,
  PublicUser,
  RecoverPasswordData,
  ResetPasswordData,
  SignupData,
  SignupResponse,
  UpdateMeData,
} from './generated/types.gen.ts'
import type { AuthChange } from './session/changes.ts'
import { openTabs } from './session/other-tabs.ts'
import { endAtService, exchange } from './session/service-calls.ts'
import { isOfSameUser, type Session } from './session/session.ts'
import { Sessions } from './session/sessions.ts'
import type { AuthStorage, StorageName } from './storage/auth-storage.ts'
import { openStorage } from './storage/open-storage.ts'
import { followPage } from './tabs/follow-page.ts'
import type { Lock } from './tabs/lock.ts'
import { checkedBaseUrl } from './transport/base-url.ts'
import { type Call, Http } from './transport/http.ts'
import type { RequestOptions } from './transport/request-options.ts'
import { isTokenRefused } from './transport/token-refusal.ts'

export type SurehookAuthOptions = {
  /** The URL of the gateway, such as `https://surehook.example.com`. */
  baseUrl: string
  projectId: string
  /** Default: `master`. */
  environment?: string
  /** Where the session is kept. Default: `localStorage`, and `memory` where a browser blocks it. */
  storage?: StorageName | AuthStorage
  /** Origins besides that of `baseUrl` to which `fetch` may send the access token. */
  origins?: readonly string[]
  /** Sends the requests. Default: the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch
  /** Milliseconds of one attempt. Default: 30,000. */
  timeout?: number
  /** Attempts after the first, for calls that may happen twice. Default: 2. */
  maxRetries?: number
  /** Milliseconds before its expiry in which a token is refreshed. Default: 30,000. */
  refreshAhead?: number
  /** Runs one refresh at a time in all tabs, instead of the lease of this package. */
  lock?: Lock
}

/** The user of this browser, in one environment. */
export class SurehookAuth {
  /**
   * `fetch` with the access token of the user. A path that begins with `/` is one of `baseUrl`.
   * Refreshes the token before it expires, and once after a 401. Rejects with a `SignedOutError` if
   * nobody is signed in.
   */
  readonly fetch: typeof globalThis.fetch
  readonly #http: Http
  readonly #sessions: Sessions
  readonly #unfollow: () => void

  constructor(options: SurehookAuthOptions) {
    const { projectId, environment = 'master', origins = [], lock } = options
    const { timeout = 30_000, maxRetries = 2, refreshAhead = 30_000 } = options
    // A browser's fetch works only as a method of its window.
    const { fetch = (...args) => globalThis.fetch(...args) } = options
    const baseUrl = checkedBaseUrl(options.baseUrl)
    const tenant = { baseUrl, projectId, environment, fetch }
    const clock = systemClock
    const http = new Http({ ...tenant, timeout, maxRetries, clock })
    this.#http = http
    this.#sessions = new Sessions({
      key: `surehook-auth ${baseUrl} ${projectId} ${environment}`,
      opened: openStorage(options.storage),
      openTabs,
      clock,
      refreshAhead,
      lock,
      exchange: (refreshToken) => exchange(http, refreshToken),
    })
    this.#unfollow = followPage(this.#sessions)
    this.fetch = authorizedFetch({ ...tenant, origins, sessions: this.#sessions })
  }

  /** Registers a user. `settings` tells whether a mailed code confirms the address. */
  signup(input: SignupData['body'], options?: RequestOptions): Promise<SignupResponse> {
    return this.#post('signup', input, options)
  }

  /** Confirms the address with the mailed code, and signs the user in. */
  confirm(input: ConfirmSignupData['body'], options?: RequestOptions): Promise<PublicUser> {
    return this.#signIn('confirm-signup', input, options)
  }

  /** Mails a new code. */
  resendCode(input: { email: string }, options?: RequestOptions): Promise<Message> {
    return this.#post('resend-code', input, options)
  }

  /** Signs the user in, in all tabs. Ends the session that was there before. */
  login(input: LoginData['body'], options?: RequestOptions): Promise<PublicUser> {
    return this.#signIn('login', input, options)
  }

  /** Mails a recovery code, if the address is registered. */
  recover(input: RecoverPasswordData['body'], options?: RequestOptions): Promise<Message> {
    return this.#post('recover-password', input, options)
  }

  /** Sets a new password with the mailed recovery code. Ends all sessions of the user. */
  reset(input: ResetPasswordData['body'], options?: RequestOptions): Promise<Message> {
    return this.#post('reset-password', input, options)
  }

  /**
   * Signs the user out in all tabs first. Then ends the session. If that rejects,
   * the session ends by its age.
   */
  async logout(options?: RequestOptions): Promise<void> {
    const session = await this.#sessions.current()
    if (session === null) return
    await this.#sessions.end(session, 'logout')
    await this.#endAtService(session, options)
  }

  /** The user who is signed in, as this browser knows it; null: nobody. Sends no request. */
  currentUser(): Promise<PublicUser | null> {
    return this.#sessions.user()
  }

  /** The user as the service knows it now. */
  async me(options?: RequestOptions): Promise<Me> {
    return this.#keepUser(await this.#send({ method: 'GET', path: 'me' }, options))
  }

  /** Changes the names. An absent name stays. */
  async update(input: UpdateMeData['body'], options?: RequestOptions): Promise<Me> {
    const call: Call = { method: 'PATCH', path: 'me', body: input }
    return this.#keepUser(await this.#send(call, options))
  }

  /** Sets a new password. Ends all other sessions of the user. */
  changePassword(input: ChangePasswordData['body'], options?: RequestOptions): Promise<Message> {
    return this.#send({ method: 'POST', path: 'change-password', body: input }, options)
  }

  /** The sessions of the user, newest first. */
  sessions(
    query: NonNullable<ListSessionsData['query']> = {},
    options?: RequestOptions,
  ): Promise<ListSessionsResponse> {
    const params = new URLSearchParams(query as Record<string, string>)
    return this.#send({ method: 'GET', path: `sessions?${params.toString()}` }, options)
  }

  /** Ends one of the user's sessions. */
  endSession(id: string, options?: RequestOptions): Promise<void> {
    return this.#send({ method: 'DELETE', path: `sessions/${encodeURIComponent(id)}` }, options)
  }

  /** The public settings: whether codes confirm addresses, and the rules of passwords. */
  settings(options?: RequestOptions): Promise<PublicSettings> {
    return this.#http.send({ method: 'GET', path: 'settings', isRepeatable: true }, options)
  }

  /**
   * A valid access token, such as for the `token` of `@surehook/client`. Refreshes it before it
   * expires. Rejects with a `SignedOutError` if nobody is signed in.
   */
  async accessToken({ signal }: Pick<RequestOptions, 'signal'> = {}): Promise<string> {
    return (await this.#sessions.fresh(signal)).accessToken
  }

  /** Calls back after each change of the session, in any tab. Returns a function that ends this. */
  onChange(listener: (change: AuthChange) => void): () => void {
    return this.#sessions.onChange(listener)
  }

  /** Ends the use of this object. The session stays. */
  close(): Promise<void> {
    this.#unfollow()
    return this.#sessions.close()
  }

  #post<Body>(path: string, body: object, options?: RequestOptions): Promise<Body> {
    return this.#http.send({ method: 'POST', path, body }, options)
  }

  async #signIn(path: string, body: object, options?: RequestOptions): Promise<PublicUser> {
    const since = systemClock.now()
    const loggedIn = await this.#post<LoggedIn>(path, body, options)
    const replaced = await this.#sessions.start(loggedIn, since)
    if (replaced !== null) this.#endInBackground(replaced)
    return loggedIn.user
  }

  /** Nobody could end it later: this browser has forgotten its tokens. */
  #endInBackground(session: Session): void {
    // The login succeeded all the same, and without this call the session ends by its age.
    void this.#endAtService(session).catch(() => undefined)
  }

  #endAtService(session: Session, options?: RequestOptions): Promise<void> {
    return endAtService(this.#http, session, this.#sessions.isExpired(session), options)
  }

  /** With the access token. All but `change-password` may happen twice. */
  async #send<Body>(call: Call, options: RequestOptions = {}): Promise<Body> {
    const isRepeatable = call.method !== 'POST'
    const send = (accessToken: string) =>
      this.#http.send<Body>({ ...call, isRepeatable, accessToken }, options)
    const session = await this.#sessions.fresh(options.signal)
    try {
      return await send(session.accessToken)
    } catch (err) {
      if (!isTokenRefused(err)) throw err
      const renewed = await this.#sessions.renewed(session, options.signal)
      // Somebody else signed in meanwhile.
      if (!isOfSameUser(renewed, session)) throw new SignedOutError(err)
      return send(renewed.accessToken)
    }
  }

  async #keepUser(me: Me): Promise<Me> {
    const session = await this.#sessions.current()
    const { id, email, firstName, lastName, roles } = me
    const user = { id, email, firstName, lastName, roles }
    if (session?.user.id === id) await this.#sessions.saveUser(session, user)
    return me
  }
}
