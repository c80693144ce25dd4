/** The value of `COMMAND_PREFIX`. Set once at startup. */
let prefix = ''

/** Sets the prefix. Disposing resets it, for tests that restart the app. */
export function setCommandPrefix(newPrefix: string): Disposable {
  prefix = newPrefix
  return {
    [Symbol.dispose]() {
      prefix = ''
    },
  }
}

/**
 * A command, or a line that starts with one, with the prefix of this deployment: `/x-hc list`. Only for our own texts, not for
 * text from outside.
 */
export const cmd = (line: string): string =>
  prefix !== '' && COMMAND.test(line) ? `/${prefix}${line.slice(1)}` : line

const COMMAND = /^\/(?:hc|threat|cert-order)(?![\w/-])/
