import { expect, it } from 'vitest'
import { type RunningProcess, runFile } from './process.ts'
import { listFiles, readSource } from './source-files.ts'

let left: RunningProcess | undefined

it('starts a process in a test', async () => {
  left = runFile('test/databases/child.ts', { args: ['open', 'sqlite::memory:', '', ''] })
  expect(left.child.pid).toBeGreaterThan(0)
})

it('stops the process at the end of its test', async () => {
  expect(await left?.ended).not.toBeUndefined()
  await left?.[Symbol.asyncDispose]()
})

it('doesn’t let a process inherit the worker’s output, which would keep the test run from ending', () => {
  const files = ['test', 'bench', 'packages'].flatMap((folder) => listFiles(folder))
  expect(files.length).toBeGreaterThan(100)
  const inherits = /stdio: (?:'inherit'|\[[^\]]*'inherit')/
  const found = files.filter((file) => !file.includes('/src/') && inherits.test(readSource(file)))
  expect(found).toEqual([])
})
