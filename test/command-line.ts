import { execFile } from 'node:child_process'
import { join } from 'node:path'

/** What `signalman` said and how it ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `signalman VERB …` to its end, in a process of its own, with nothing in its environment but what is given. */
export function signalman(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Ended> {
  const script = join(import.meta.dirname, '../src/cli/signalman.ts')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', script, ...args],
      { env: {}, timeout: 30_000, ...options },
      (error, stdout, stderr) => {
        // A program that was killed has no number for a code.
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, stdout, stderr })
      },
    )
  })
}
