import { runToEnd } from './grow.ts'
import { WORKS } from './table.ts'

/** Runs in its own process with `--expose-gc`: how much memory is in use while the result of a work is kept, by size. */
const wanted = process.argv.slice(2)
const MB = 1024 * 1024

const readHeap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

for (const create of WORKS)
  for (const work of await create(1, 1000)) {
    if (wanted.length === 0 || wanted.some((text) => work.name.includes(text)))
      for (const shape of work.shapes) {
        process.stdout.write(`${work.name} | ${shape.name}`)
        const kept: number[] = []
        const peaks: number[] = []
        for (const part of [4, 2, 1]) {
          const run = await shape.prepare(Math.ceil(work.limit / part))
          const before = readHeap()
          const rss = process.resourceUsage().maxRSS
          const result = await runToEnd(run)
          peaks.push((process.resourceUsage().maxRSS - rss) / 1024)
          kept.push((readHeap() - before) / MB)
          if (result === run) throw new Error('The result is kept until here.')
        }
        const [quarter = 0, , whole = 0] = kept
        const exponent = whole < 8 ? '-' : (Math.log2(whole / Math.max(quarter, 0.1)) / 2).toFixed(2)
        process.stdout.write(
          ` | n^${exponent} | kept ${kept.map((mb) => mb.toFixed(1)).join(' ')} MB | peak +${peaks.map((mb) => mb.toFixed()).join(' ')} MB\n`,
        )
      }
    await work.close?.()
  }
