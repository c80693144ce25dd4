import { execFile } from 'node:child_process'
import { bundled } from './program.ts'

/** Nothing that is asked of it takes as long on the busiest machine. */
const LIMIT_MS = 120_000

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
  const program = bundled('src/cli/signalman.ts')
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [...program.args, ...args],
      { timeout: LIMIT_MS, ...options, env: { ...program.env, ...options.env } },
      (error, stdout, stderr) => {
        if (error?.killed)
          reject(new Error(`signalman ${args.join(' ')} has not ended. It said:\n${stdout}${stderr}`))
        // A program that was killed has no number for a code.
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, stdout, stderr })
      },
    )
  })
}
