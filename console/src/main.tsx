import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { openStore } from './app/session/open-store.ts'
import { openPeers } from './app/session/peers.ts'
import { SessionKeeper } from './app/session/session.ts'
import './styles/tokens.css'
import './styles/base.css'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no root')
const keeper = new SessionKeeper(
  openStore(() => window.sessionStorage),
  openPeers(),
)
createRoot(root).render(
  <StrictMode>
    <App keeper={keeper} />
  </StrictMode>,
)
