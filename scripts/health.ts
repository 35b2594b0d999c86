/** The health check of the image: exit code 0 if the server on this machine is ready. */
const port = process.env.PORT || '8000'
const timeoutMs = 4000

try {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(timeoutMs) })
  process.exitCode = answer.ok ? 0 : 1
} catch {
  process.exitCode = 1
}

export {}
