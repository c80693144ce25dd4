import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { OperatorError } from './operator.ts'

/** Longer than any token, key, or address. */
const MAX_LENGTH = 4096

export type Questions = ReturnType<typeof openQuestions>

/** Asks on standard output, and reads answers from a terminal or line by line from standard input. */
export function openQuestions(stoppedMessage: string) {
  const { stdin, stdout } = process
  const isTerminal = stdin.isTTY === true
  let isHidden = false
  const terminalOutput = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) stdout.write(chunk)
      done()
    },
  })
  const reader = createInterface({
    input: stdin,
    output: terminalOutput,
    terminal: isTerminal,
    historySize: 0,
  })
  const unreadLines: string[] = []
  let isClosed = false
  let wake = (): void => undefined
  reader.on('line', (line) => {
    unreadLines.push(line)
    wake()
  })
  reader.on('close', () => {
    isClosed = true
    wake()
  })
  reader.on('SIGINT', () => reader.close())

  /**
   * Returns the next line without surrounding spaces, and hides it on a terminal if it `isSecret`. Throws OperatorError at the
   * end of the input.
   */
  async function ask(question: string, isSecret = false): Promise<string> {
    // If several lines were pasted, the first one answered the previous question. Drop the others.
    if (isTerminal) unreadLines.length = 0
    stdout.write(`${question} `)
    isHidden = isSecret && isTerminal
    while (unreadLines.length === 0 && !isClosed)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    if (isHidden || !isTerminal) stdout.write('\n')
    isHidden = false
    const line = unreadLines.shift()
    if (line !== undefined) return trimCopied(line)
    throw new OperatorError(
      `\nThe input ended before all questions were answered. ${stoppedMessage}${isTerminal ? '' : ' Run this in a terminal. In a container, use docker run -it.'}`,
    )
  }

  /** Asks for one of these, by its number, its name, or the start of its name. Enter chooses the first. */
  async function choose<Name extends string>(
    question: string,
    choices: Readonly<Record<Name, string>>,
  ): Promise<Name> {
    const names = Object.keys(choices) as Name[]
    const [first] = names
    stdout.write(`\n${question}\n`)
    for (const [index, name] of names.entries()) stdout.write(`  ${index + 1}  ${choices[name]}\n`)
    for (;;) {
      const typed = (await ask(`1–${names.length} [1]:`)).toLowerCase()
      const chosen =
        typed === '' ? first : (names[Number(typed) - 1] ?? names.find((name) => name.startsWith(typed)))
      if (chosen !== undefined) return chosen
      stdout.write(`Type a number from 1 to ${names.length}.\n`)
    }
  }
  return { ask, choose, [Symbol.dispose]: () => reader.close() }
}

/** Removes what copying may have added: surrounding spaces, and invisible characters. */
const trimCopied = (line: string): string =>
  line
    .slice(0, MAX_LENGTH + 1)
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
