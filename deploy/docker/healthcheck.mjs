// Docker's question: whether the service in this container is ready. What serves nothing is always well.
const port = process.env.INTERNAL_PORT
if (port && process.env.HEALTHCHECK !== 'off') {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, {
    signal: AbortSignal.timeout(3_500),
  })
  if (!response.ok) {
    console.error(await response.text())
    process.exitCode = 1
  }
}
