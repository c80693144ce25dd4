import { execFile } from 'node:child_process'
import { bundleProgram } from './program.ts'

/** Longer than any command takes, even on a busy machine. */
const LIMIT_MS = 120_000

/** The output and exit code of `signalman`. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `signalman VERB …` to its end in its own process, with only these variables in its environment. */
export function signalman(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<CommandResult> {
  const program = bundleProgram('src/cli/signalman.ts')
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [...program.args, ...args],
      { timeout: LIMIT_MS, ...options, env: { ...program.env, ...options.env } },
      (error, stdout, stderr) => {
        if (error?.killed)
          reject(new Error(`signalman ${args.join(' ')} hasn’t ended. Its output:\n${stdout}${stderr}`))
        // The exit code of a killed program isn't a number.
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, stdout, stderr })
      },
    )
  })
}
