/**
 * Starts instances of ffmpeg from @ffmpeg/core (GPL-2.0-or-later, optional).
 *
 * The official wrapper @ffmpeg/ffmpeg needs a browser's `Worker`; here the core runs in the calling thread, which already is a
 * worker.
 */

/** The used part of the core's module object. */
export interface FfmpegCore {
  FS: {
    writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void
    readFile(path: string): Uint8Array
    makedev(major: number, minor: number): number
    registerDevice(device: number, operations: DeviceOperations): void
    mkdev(path: string, device: number): void
  }
  exec(...args: string[]): number
  ffprobe(...args: string[]): number
  reset(): void
  setLogger(log: (line: { message: string }) => void): void
}

interface DeviceOperations {
  open(): void
  close(): void
  write(stream: unknown, heap: Int8Array, at: number, length: number): number
}

export type FfmpegCoreFactory = (options: {
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports
}) => Promise<FfmpegCore>

/** Defines globals of a browser worker while the core starts, which reads them; removes them afterwards, because other libraries sniff for them. */
async function withWorkerScope<T>(work: () => Promise<T>): Promise<T> {
  const scope = globalThis as unknown as Record<string, unknown>
  const lent: string[] = []
  const lend = (name: string, value: unknown) => {
    if (scope[name] !== undefined) return
    Object.defineProperty(scope, name, { value, configurable: true, writable: true })
    lent.push(name)
  }
  lend('location', { href: 'file:///' })
  lend('self', globalThis)
  try {
    return await work()
  } finally {
    for (const name of lent) delete scope[name]
  }
}

/** Starts a new instance; takes 9 ms with a compiled module. */
export function startCore(factory: FfmpegCoreFactory, compiled: WebAssembly.Module): Promise<FfmpegCore> {
  return withWorkerScope(() =>
    factory({
      instantiateWasm: (imports, done) => {
        const instance = new WebAssembly.Instance(compiled, imports)
        done(instance)
        return instance.exports
      },
    }),
  )
}

/** Creates a device that passes on the bytes written to a path. */
export function mountDevice(core: FfmpegCore, path: string, write: (bytes: Uint8Array) => void): void {
  const device = core.FS.makedev(64, 0)
  core.FS.registerDevice(device, {
    open: () => {},
    close: () => {},
    write: (_, heap, at, length) => {
      write(new Uint8Array(heap.buffer, heap.byteOffset + at, length))
      return length
    },
  })
  core.FS.mkdev(path, device)
}
