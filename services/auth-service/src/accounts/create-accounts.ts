import type { CountOperation } from './account-meters.ts'
import type { Accounts } from './accounts.ts'
import { createLogin, type LoginDeps } from './login.ts'
import { createRecovery, type RecoveryDeps } from './recovery.ts'
import { createSignup, type SignupDeps } from './signup/signup.ts'

export type AccountsDeps = SignupDeps & LoginDeps & RecoveryDeps & { count: CountOperation }

export function createAccounts(deps: AccountsDeps): Accounts {
  const { count } = deps
  const signup = createSignup(deps)
  const login = createLogin(deps)
  const recovery = createRecovery(deps)
  return {
    signup: (...args) => count('signup', signup.signup(...args)),
    signupFaults: signup.signupFaults,
    confirmSignup: (...args) => count('confirm_signup', signup.confirmSignup(...args)),
    resendCode: (...args) => count('resend_code', signup.resendCode(...args)),
    login: (...args) => count('login', login(...args)),
    recoverPassword: (...args) => count('recover_password', recovery.recoverPassword(...args)),
    resetPassword: (...args) => count('reset_password', recovery.resetPassword(...args)),
    resetFaults: recovery.resetFaults,
  }
}
