/** Opens something when it is first needed. If that fails, the next one who needs it tries again. */
export function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open().catch((cause) => {
      opened = undefined
      throw cause
    })
    return opened
  }
}
