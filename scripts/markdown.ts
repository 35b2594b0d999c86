export const cell = (text: string): string => text.replaceAll('|', '\\|')

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** Rows of a table, each once. */
export const dropDuplicates = (rows: readonly string[][]): string[][] =>
  rows.filter((row, i) => rows.findIndex((other) => other.join() === row.join()) === i)
