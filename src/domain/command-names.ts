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
 * Adds this deployment's prefix to a command, or to a line that starts with one: `/x-hc list`. Only for the app's own texts, not
 * for text from outside.
 */
export const cmd = (line: string): string =>
  prefix !== '' && COMMAND.test(line) ? `/${prefix}${line.slice(1)}` : line

const COMMAND = /^\/(?:hc|threat|cert-order)(?![\w/-])/
