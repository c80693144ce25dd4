import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'

/** What is written and not yet read by whoever holds the other end of the pipe; more is dropped. */
const MOST_BYTES = 4 * 1024 * 1024
const LAST_LINES_MS = 500

/** Standard output for a log, on which nothing ever waits: neither for a reader that is slow, nor for one that is gone. */
export interface Output {
  write(line: string): void
  /** Resolves when all is written, or after half a second. */
  written(): Promise<void>
}

/**
 * Standard output as a pipe, which Node would write to and wait; undefined where it is a file or a terminal, which take
 * everything at once.
 */
export function openOutput(fd = 1): Output | undefined {
  const kind = fstatSync(fd)
  if (!kind.isFIFO() && !kind.isSocket()) return undefined
  const pipe = new Socket({ fd, readable: false, writable: true })
  pipe.unref()
  let isGone = false
  let dropped = 0
  pipe.on('error', () => {
    isGone = true
  })
  return {
    write(line) {
      if (isGone) return
      if (pipe.writableLength > MOST_BYTES) {
        dropped += 1
        return
      }
      if (dropped > 0)
        pipe.write(`{"level":"warn","dropped":${dropped},"msg":"Lines that nobody read were dropped."}\n`)
      dropped = 0
      pipe.write(line)
    },
    written: () =>
      new Promise((resolve) => {
        if (isGone || pipe.writableLength === 0) return resolve()
        setTimeout(resolve, LAST_LINES_MS)
        pipe.write('', () => resolve())
      }),
  }
}
