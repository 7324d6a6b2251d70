import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { redeemCode } from './api/session/redeem-code.ts'
import { App, openRouter } from './app/app.tsx'
import { takeCode } from './session/code-in-address.ts'
import { CodeSignIn } from './session/code-sign-in.ts'
import { openStore } from './session/open-store.ts'
import { openPeers } from './session/peers.ts'
import { SessionKeeper } from './session/session.ts'
import './styles/tokens.css'
import './styles/base.css'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no root')
const keeper = new SessionKeeper(
  openStore(() => window.sessionStorage),
  openPeers(),
)
const codes = new CodeSignIn(keeper, {
  redeem: redeemCode,
  mayReplaceSession: () =>
    window.confirm(
      'This link ends your session and signs you in as the person who made it. Continue only if you made it yourself with `surehook console`.',
    ),
})
const redeemFromAddress = () => {
  const code = takeCode()
  if (code !== null) void codes.start(code)
}
// Before the router reads the address.
redeemFromAddress()
// A code that the user pastes into the address bar loads no new page.
window.addEventListener('hashchange', redeemFromAddress)
const router = openRouter()
createRoot(root).render(
  <StrictMode>
    <App keeper={keeper} codes={codes} router={router} />
  </StrictMode>,
)
