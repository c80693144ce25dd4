import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { endsWithItsTest } from '../process.ts'
import { bundled } from '../program.ts'

/** A running `child.ts` that has printed "ready". */
export interface Child extends AsyncDisposable {
  /** Lets it start. */
  go(): void
  /** Its next line of output, or undefined at the end. */
  line(): Promise<string | undefined>
  /** All remaining lines up to "done". Throws with its stderr if it ended in another way. */
  finish(): Promise<string[]>
  /** Kills it with SIGKILL, waits until it has ended, and returns its remaining output. */
  kill(): Promise<string[]>
}

export async function startChild(
  job: 'open' | 'claim' | 'save' | 'acknowledge' | 'rotate' | 'restore',
  options: { url: string; keys?: string; name?: string },
): Promise<Child> {
  const program = bundled(join(import.meta.dirname, 'child.ts'))
  const args = [job, options.url, options.keys ?? '', options.name ?? '']
  const child = endsWithItsTest(
    spawn(process.execPath, [...program.args, ...args], {
      env: { ...process.env, ...program.env },
    }),
  )
  const exited = once(child, 'exit')
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(-4000)
  })
  child.stdin.on('error', () => undefined)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const line = async () => {
    const next = await lines.next()
    return next.done ? undefined : next.value
  }
  const rest = async () => {
    const said: string[] = []
    for (let next = await line(); next !== undefined; next = await line()) said.push(next)
    return said
  }
  if ((await line()) !== 'ready') throw new Error(`The child did not start: ${complaint}`)
  return {
    go: () => child.stdin.write('go\n'),
    line,
    async finish() {
      const said = await rest()
      await exited
      if (said.at(-1) !== 'done') throw new Error(`The child did not finish: ${complaint}`)
      return said.slice(0, -1)
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
      return await rest()
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
