import { claimsOf, createTokenVerifier, requireAccessToken } from '@surehook/token-verifier'
import express, { type RequestHandler } from 'express'

const {
  PORT = '3000',
  SUREHOOK_URL = 'http://localhost:8080',
  SUREHOOK_PROJECT = 'shop',
  SUREHOOK_ENVIRONMENT = 'master',
} = process.env

const issuer = `${SUREHOOK_URL}/auth/${SUREHOOK_PROJECT}/${SUREHOOK_ENVIRONMENT}`
const verifier = createTokenVerifier({
  jwksUrl: `${issuer}/.well-known/jwks.json`,
  issuer,
  audience: `${SUREHOOK_PROJECT}/${SUREHOOK_ENVIRONMENT}`,
  // After a logout, the access token stays valid until it expires, at most 15 minutes later.
  isRevoked: () => false,
})

function requireRole(role: string): RequestHandler {
  return (req, res, next) => {
    if (claimsOf(req).roles.includes(role)) next()
    else res.status(403).json({ error: 'FORBIDDEN', message: `You need the role ${role}` })
  }
}

const app = express()
app.use(requireAccessToken(verifier))
app.get('/me', (req, res) => {
  const { sub, roles } = claimsOf(req)
  res.json({ user: sub, roles })
})
app.get('/reports', requireRole('accountant'), (_req, res) => {
  res.json({ revenue: '99.50' })
})
app.listen(Number(PORT), '127.0.0.1')
