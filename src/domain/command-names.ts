/** The value of `COMMAND_PREFIX`. Set once at startup. */
let prefix = ''

/** Sets the prefix. Disposing removes it again, for tests that restart the app. */
export function nameCommands(by: string): Disposable {
  prefix = by
  return {
    [Symbol.dispose]() {
      prefix = ''
    },
  }
}

/**
 * A command, or a line that starts with one, as people type it here: `/hc list` becomes `/x-hc list` with the prefix `x-`. Only
 * for our own texts: don't use it for text from outside.
 */
export const cmd = (line: string): string =>
  prefix !== '' && COMMAND.test(line) ? `/${prefix}${line.slice(1)}` : line

const COMMAND = /^\/(?:hc|threat|cert-order)(?![\w/-])/
