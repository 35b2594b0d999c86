/** The methods of each path, derived from the routes. */
import type { Hono } from 'hono'
import type { AppEnv } from './app-env.ts'

interface Route {
  method: string
  pattern: RegExp
}

/** Compiles a path such as `/folders/:id`. */
function compilePattern(path: string): RegExp {
  const escaped = path
    .replace(/(?<=.)\/$/, '')
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '[^/]+' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${escaped.join('/')}$`)
}

/** @returns a function from the path of a request, which has lost a slash at its end, to its methods; `[]` for an unknown path */
export function methodsByPath(app: Hono<AppEnv>): (path: string) => string[] {
  const routes: Route[] = app.routes
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => ({ method, pattern: compilePattern(path) }))
  return (path) => {
    const methods = new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
    if (methods.size === 0) return []
    if (methods.has('GET')) methods.add('HEAD')
    methods.add('OPTIONS')
    return [...methods].sort()
  }
}
