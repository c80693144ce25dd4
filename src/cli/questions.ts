import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { OperatorError } from './operator.ts'

/** Longer than any token, key, or address. */
const MAX_LENGTH = 4096

export type Questions = ReturnType<typeof openQuestions>

/** Asks on standard output, and reads answers from a terminal or line by line from standard input. */
export function openQuestions(stopped: string) {
  const { stdin, stdout } = process
  const isTerminal = stdin.isTTY === true
  let isHidden = false
  const shown = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) stdout.write(chunk)
      done()
    },
  })
  const reader = createInterface({ input: stdin, output: shown, terminal: isTerminal, historySize: 0 })
  const waiting: string[] = []
  let isOver = false
  let wake = (): void => undefined
  reader.on('line', (line) => {
    waiting.push(line)
    wake()
  })
  reader.on('close', () => {
    isOver = true
    wake()
  })
  reader.on('SIGINT', () => reader.close())

  /**
   * Returns the next line without surrounding spaces, and hides it on a terminal if it `isSecret`. Throws OperatorError at the
   * end of the input.
   */
  async function ask(question: string, isSecret = false): Promise<string> {
    // If several lines were pasted, only the first one answered the previous question.
    if (isTerminal) waiting.length = 0
    stdout.write(`${question} `)
    isHidden = isSecret && isTerminal
    while (waiting.length === 0 && !isOver)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    if (isHidden || !isTerminal) stdout.write('\n')
    isHidden = false
    const line = waiting.shift()
    if (line !== undefined) return trimCopied(line)
    throw new OperatorError(
      `\nThe input ended. ${stopped}${isTerminal ? '' : 'Run this in a terminal. In a container, use docker run -it.'}`,
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
    for (const [at, name] of names.entries()) stdout.write(`  ${at + 1}  ${choices[name]}\n`)
    for (;;) {
      const typed = (await ask(`1–${names.length} [1]:`)).toLowerCase()
      const found =
        typed === '' ? first : (names[Number(typed) - 1] ?? names.find((name) => name.startsWith(typed)))
      if (found !== undefined) return found
      stdout.write(`Type a number from 1 to ${names.length}.\n`)
    }
  }
  return { ask, choose, [Symbol.dispose]: () => reader.close() }
}

/** Removes what copying adds: spaces of any kind and invisible characters. */
const trimCopied = (line: string): string =>
  line
    .slice(0, MAX_LENGTH + 1)
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
