import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runToEnd, type Work } from './grow.ts'
import { WORKS } from './table.ts'

/**
 * Prints how much memory is in use while the result of a work is kept, at a quarter, a half, and all of the limit, and the most that the
 * process has had. Each work runs in its own process with a heap of 200 MB, so that one that ends it is seen.
 */
const MB = 1024 * 1024
const CHILD = '--of'
const HEAP = ['--expose-gc', `--max-old-space-size=${process.env.GROWTH_HEAP ?? 200}`]

const [first, ...others] = process.argv.slice(2)
for (const create of WORKS)
  for (const work of await create(1, 1000)) {
    if (first !== CHILD) {
      if (!first || [first, ...others].some((text) => work.name.includes(text))) await startChild(work)
    } else if (others.includes(work.name)) for (const shape of work.shapes) await printMemory(work, shape)
    await work.close?.()
  }

async function startChild({ name }: Work): Promise<void> {
  const args = [...HEAP, import.meta.filename, CHILD, name]
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => ({
    stdout: `${error.stdout} | ENDS THE PROCESS\n`,
  }))
  process.stdout.write(stdout)
}

async function printMemory({ name, limit }: Work, shape: Work['shapes'][number]): Promise<void> {
  process.stdout.write(`${name} | ${shape.name}`)
  const kept: number[] = []
  for (const part of [4, 2, 1]) {
    const run = await shape.prepare(Math.ceil(limit / part))
    const before = readHeap()
    const result = await runToEnd(run)
    kept.push((readHeap() - before) / MB)
    if (result === run) throw new Error('The result is kept until here.')
  }
  const [quarter = 0, , whole = 0] = kept
  const exponent = whole < 8 ? '-' : (Math.log2(whole / Math.max(quarter, 0.1)) / 2).toFixed(2)
  const peak = process.resourceUsage().maxRSS / 1024
  process.stdout.write(
    ` | n^${exponent} | kept ${kept.map((mb) => mb.toFixed(1)).join(' ')} MB | so far at most ${peak.toFixed()} MB\n`,
  )
}

function readHeap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
