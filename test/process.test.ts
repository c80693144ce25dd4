import { expect, it } from 'vitest'
import { type RunningProcess, runFile } from './process.ts'
import { listFiles, readSource } from './source-files.ts'

let started: RunningProcess | undefined

it('starts a process in a test', async () => {
  started = runFile('test/databases/child.ts', { args: ['open', 'sqlite::memory:', '', ''] })
  expect(started.child.pid).toBeGreaterThan(0)
})

it('stops the process when the test that started it ends', async () => {
  expect(await started?.ended).not.toBeUndefined()
  await started?.[Symbol.asyncDispose]()
})

it('never lets a process inherit the worker’s output, so that the test run can end', () => {
  const files = ['test', 'bench', 'packages'].flatMap((folder) => listFiles(folder))
  expect(files.length).toBeGreaterThan(100)
  const inherits = /stdio: (?:'inherit'|\[[^\]]*'inherit')/
  const inheriting = files.filter((file) => !file.includes('/src/') && inherits.test(readSource(file)))
  expect(inheriting).toEqual([])
})
