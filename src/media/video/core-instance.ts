/**
 * One instance of ffmpeg as @ffmpeg/core ships it (GPL-2.0-or-later, optional): starting it, running a command.
 *
 * The package's own wrapper, @ffmpeg/ffmpeg, needs the `Worker` of browsers; here the core runs inside the thread that
 * asks, which is a worker already.
 */

/** The part of the core's module object that is used. */
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
  setTimeout(timeoutMs: number): void
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

/** The core looks for the address of a browser's worker while it starts. Others sniff for one too, so it is put away. */
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

/** Starts a new instance; 9 ms on a compiled module. */
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

/** Takes the bytes that are written to a path. */
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
