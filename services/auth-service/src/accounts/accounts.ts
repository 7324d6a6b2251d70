import type { AuthApi } from '../use-cases/auth-api.ts'
import type { CountOperation } from './account-meters.ts'
import { createLogin, type LoginDeps } from './login.ts'
import { createRecovery, type Recovery, type RecoveryDeps } from './recovery.ts'
import { createSignup, type Signup, type SignupDeps } from './signup/signup.ts'

export type Accounts = Signup & Recovery & Pick<AuthApi, 'login'>

export type AccountsDeps = SignupDeps & LoginDeps & RecoveryDeps & { count: CountOperation }

/** The use cases of accounts that need no access token. They are counted by outcome. */
export function createAccounts(deps: AccountsDeps): Accounts {
  const { count } = deps
  const signup = createSignup(deps)
  const login = createLogin(deps)
  const recovery = createRecovery(deps)
  return {
    ...signup,
    ...recovery,
    signup: (...args) => count('signup', signup.signup(...args)),
    confirmSignup: (...args) => count('confirm_signup', signup.confirmSignup(...args)),
    resendCode: (...args) => count('resend_code', signup.resendCode(...args)),
    login: (...args) => count('login', login(...args)),
    recoverPassword: (...args) => count('recover_password', recovery.recoverPassword(...args)),
    resetPassword: (...args) => count('reset_password', recovery.resetPassword(...args)),
  }
}
