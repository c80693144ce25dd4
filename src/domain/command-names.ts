/** What `COMMAND_PREFIX` puts in front of the commands of this deployment. Set once at start. */
let prefix = ''

/** Names the commands of this process. Disposing of it takes the prefix away again, for tests that start the app again. */
export function nameCommands(by: string): Disposable {
  prefix = by
  return {
    [Symbol.dispose]() {
      prefix = ''
    },
  }
}

/**
 * A command, or a line that begins with one, as people type it here: `/hc list` is `/x-hc list` where the prefix is `x-`. Only for what
 * the code itself says: text from elsewhere stays as it is.
 */
export const cmd = (line: string): string =>
  prefix !== '' && COMMAND.test(line) ? `/${prefix}${line.slice(1)}` : line

const COMMAND = /^\/(?:hc|threat|cert-order)(?![\w/-])/
