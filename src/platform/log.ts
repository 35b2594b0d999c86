type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Fields of a log line. Never media, templates, tokens, metadata or file names: a line must not identify a person. */
type LogFields = Readonly<
  Record<string, string | number | boolean | null | readonly Readonly<Record<string, string | number>>[]>
>

export type Log = (level: LogLevel, event: string, fields?: LogFields) => void

const severity: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }

/** Writes one JSON object per line. */
export function jsonLog(least: LogLevel, nowMs: () => number, write: (line: string) => void): Log {
  return (level, event, fields = {}) => {
    if (severity[level] < severity[least]) return
    write(JSON.stringify({ time: new Date(nowMs()).toISOString(), level, event, ...fields }))
  }
}
