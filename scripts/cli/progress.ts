/** Progress of long commands: one line that changes on a terminal, a line now and then in a file. */

const terminalEveryMs = 100
const fileEveryMs = 10_000

interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

export class Progress {
  readonly #output: Output
  readonly #nowMs: () => number
  #shownMs = Number.NEGATIVE_INFINITY
  #isOpen = false

  constructor(output: Output = process.stderr, nowMs: () => number = () => performance.now()) {
    this.#output = output
    this.#nowMs = nowMs
  }

  /** Shows a state that the next one replaces. Most are skipped. */
  show(text: string): void {
    const isTerminal = this.#output.isTTY === true
    const now = this.#nowMs()
    if (now - this.#shownMs < (isTerminal ? terminalEveryMs : fileEveryMs)) return
    this.#shownMs = now
    this.#output.write(isTerminal ? `\r\x1b[K${text}` : `${text}\n`)
    this.#isOpen = isTerminal
  }

  /** Shows a step with its counts. */
  step = (step: string, done?: number, all?: number): void =>
    this.show(done === undefined ? step : `${step}: ${done} of ${all}`)

  /** Removes the line that changes, so that a result can be written. */
  end(): void {
    if (this.#isOpen) this.#output.write('\r\x1b[K')
    this.#isOpen = false
  }
}
