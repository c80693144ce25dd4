import { expect, it } from 'vitest'
import { IS_LONG } from '../long.ts'
import { runFile } from '../process.ts'

it('lists the available benchmarks if the name is unknown', async () => {
  await using bench = runFile('bench/run.ts', { args: ['nothing-like-this'] })
  expect(await bench.ended).toBe(1)
  expect(bench.output()).toContain(
    'There is no benchmark nothing-like-this. The benchmarks are listing, help-answered,',
  )
})

it
  .runIf(IS_LONG)
  .each([
    'listing',
    'help-answered',
    'typed-lines',
    'page-read',
    'hundred-thousand',
    'polling',
    'storm',
    'many-channels',
    'many-changes',
    'approval',
    'starting',
  ])('runs %s at a tiny size', async (name) => {
  await using bench = runFile('bench/run.ts', { args: ['--quick', name] })
  expect(await bench.ended, bench.output()).toBe(0)
})

it.runIf(IS_LONG)('counts the functions that run for each request', async () => {
  await using counts = runFile('bench/executed-functions.ts')
  expect(await counts.ended, counts.output()).toBe(0)
  for (const request of ['/hc list', 'press Edit', 'watch poll', 'order submitted'])
    expect(counts.output()).toMatch(new RegExp(`^${request}.*: \\d+ functions in \\d+ files$`, 'm'))
})
