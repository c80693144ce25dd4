/** A fault that the operator can mend: its message says what, and how. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  /** What the program ends with: 1, or 2 when it was typed wrongly. */
  readonly exitCode: number
  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** A line to standard output. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`)
