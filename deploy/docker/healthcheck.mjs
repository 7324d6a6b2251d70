// Docker's question: whether the service in this container is ready. What serves nothing is always well.
import { readlinkSync } from 'node:fs'

const port = process.env.INTERNAL_PORT
// The operators' command is a library's; every image has the variable.
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
