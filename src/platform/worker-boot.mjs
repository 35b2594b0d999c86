/** Starts the worker on Node, whose loader for TypeScript has to be registered in every thread. */
import { register } from 'tsx/esm/api'

register()
await import('./assess-worker.ts')
