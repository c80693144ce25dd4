/** An error that the operator can fix; the message says how. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
  /** The exit code: 2 for wrong usage, otherwise 1. */
  readonly exitCode: number
  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

export const printLine = (line: string): void => void process.stdout.write(`${line}\n`)
