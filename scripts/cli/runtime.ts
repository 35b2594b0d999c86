type Runtime = 'node' | 'bun' | 'deno'

/** The runtime that this process runs on. */
export function thisRuntime(): Runtime {
  if ('Bun' in globalThis) return 'bun'
  return 'Deno' in globalThis ? 'deno' : 'node'
}
