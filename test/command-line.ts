import { execFile } from 'node:child_process'
import { explainError } from '../src/cli/explain-error.ts'
import { VERBS } from '../src/cli/verbs.ts'
import { bundleProgram } from './program.ts'

/** Longer than any command takes, even on a busy machine. */
const LIMIT_MS = 600_000

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

/**
 * Runs a verb in this process, which takes a tenth of the time. For cases of a verb whose output and exit code another case tests in its
 * own process. Run one at a time.
 */
export async function runVerb(
  args: readonly string[],
  { env = {}, cwd = '.' }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<CommandResult> {
  const [name, ...verbArgs] = args
  const verb = VERBS.find((candidate) => candidate.name === name)
  if (!verb) throw new Error(`There is no verb ${name}.`)
  const { run } = await verb.load()
  using _ = changeFolder(cwd)
  using stdout = captureWrites(process.stdout)
  using stderr = captureWrites(process.stderr)
  try {
    return { code: await run(verbArgs, env), stdout: stdout.text(), stderr: stderr.text() }
  } catch (error) {
    const { text, exitCode } = explainError(error)
    return { code: exitCode, stdout: stdout.text(), stderr: `${stderr.text()}${text}\n` }
  }
}

function changeFolder(folder: string): Disposable {
  const former = process.cwd()
  process.chdir(folder)
  return { [Symbol.dispose]: () => process.chdir(former) }
}

function captureWrites(stream: NodeJS.WriteStream): Disposable & { text(): string } {
  const { write } = stream
  let text = ''
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk)
    return true
  }
  return {
    text: () => text,
    [Symbol.dispose]() {
      stream.write = write
    },
  }
}
