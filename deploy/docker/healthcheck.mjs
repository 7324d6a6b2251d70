// Docker's health check: exits with 0 if the service of this container is ready.
import { readlinkSync } from 'node:fs'

const port = process.env.INTERNAL_PORT
// The image of the operators' command has the variable too, but serves nothing: it is healthy.
const serves = readlinkSync(`${import.meta.dirname}/service`).startsWith('services/')
if (serves && port && process.env.HEALTHCHECK !== 'off') {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(3_500),
  })
  if (!response.ok) {
    console.error(await response.text())
    process.exitCode = 1
  }
}
