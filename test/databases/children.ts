import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { killAfterTest } from '../process.ts'
import { bundleProgram } from '../program.ts'

/** A running `child.ts` that has printed "ready". */
export interface Child extends AsyncDisposable {
  go(): void
  line(): Promise<string | undefined>
  /** Returns all remaining lines up to "done". If the child ends without "done", throws an error with its stderr. */
  finish(): Promise<string[]>
  /** Kills the child with SIGKILL, waits until it has ended, and returns its remaining output. */
  kill(): Promise<string[]>
}

export async function startChild(
  job: 'open' | 'save',
  options: { url: string; keys?: string; name?: string },
): Promise<Child> {
  const program = bundleProgram(join(import.meta.dirname, 'child.ts'))
  const args = [job, options.url, options.keys ?? '', options.name ?? '']
  const child = killAfterTest(
    spawn(process.execPath, [...program.args, ...args], {
      env: { ...process.env, ...program.env },
    }),
  )
  const exited = once(child, 'exit')
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-4000)
  })
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const readLine = async () => {
    const next = await lines.next()
    return next.done ? undefined : next.value
  }
  const readRest = async () => {
    const rest: string[] = []
    for (let next = await readLine(); next !== undefined; next = await readLine()) rest.push(next)
    return rest
  }
  if ((await readLine()) !== 'ready') throw new Error(`The child did not start: ${stderr}`)
  return {
    go: () => child.stdin.write('go\n'),
    line: readLine,
    async finish() {
      const output = await readRest()
      await exited
      if (output.at(-1) !== 'done') throw new Error(`The child did not finish: ${stderr}`)
      return output.slice(0, -1)
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
      return await readRest()
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
