/**
 * Every event of the audit trail, with the condition that writes it. Names follow the OWASP Logging
 * Vocabulary where it has one. docs/reference/audit-trail.md lists them, and a test compares the
 * two.
 */
export const auditEvents = {
  user_created: 'A signup made an account',
  user_created_fail: 'A signup was refused',
  user_verified: 'A mailed code confirmed the address of an account, and logged in',
  user_verified_fail: 'A confirmation was refused',
  user_verification_request: 'A new verification code was asked for',
  user_verification_request_fail: 'A request for a new verification code was refused',
  authn_login_success: 'A password logged in',
  authn_login_fail: 'A login was refused',
  authn_login_lock: 'A failed login locked the account; the failure has a line of its own',
  authn_password_reset_request: 'A recovery code was asked for',
  authn_password_reset_request_fail: 'A request for a recovery code was refused',
  authn_password_change:
    'A recovery code or the old password set a new one, and ended the other sessions',
  authn_password_change_fail: 'A reset or a change of the password was refused',
  authn_token_reuse: 'A used refresh token was presented again, and its session ended',
  authn_logout: 'An access token ended its session',
  authn_logout_fail: 'A logout was refused',
  authn_token_revoked: 'A user ended one of the own sessions',
  authn_token_revoked_fail: 'The end of an own session was refused',
  user_updated: 'A user changed the own names',
  user_updated_fail: 'A change of the own names was refused',
  authz_admin: 'An administration call was admitted',
  authz_fail: 'An administration call was refused for want of a good credential',
} as const

export type AuditEvent = keyof typeof auditEvents
