import { expect, it } from 'vitest'
import { run } from '../process.ts'

it('answers a question at a tiny size, and writes no results', async () => {
  await using bench = run('bench/run.ts', { args: ['--quick', 'help-answered'] })
  expect(await bench.ended).toBe(0)
  expect(bench.output()).toMatch(/CPU of \/hc help ÷ bare Bolt +\d+\.\d\d +≤ 0\.65/)
})

it('says which questions there are', async () => {
  await using bench = run('bench/run.ts', { args: ['nothing-like-this'] })
  expect(await bench.ended).toBe(1)
  expect(bench.output()).toContain(
    'There is no question nothing-like-this. There are: acknowledging, help-answered,',
  )
})
