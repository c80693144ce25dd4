import { expect, it } from 'vitest'
import { listFiles, readSource } from '../source-files.ts'

const { scripts } = JSON.parse(readSource('package.json'))

it('writes every generated page with npm run generate', () => {
  // Files that write a text file when they are run.
  const writers = listFiles('docs').filter((file) =>
    /^(?:if \(import\.meta\.main\)[\s\S]*|)(?:await )?writeFile(?:Sync)?\(/m.test(readSource(file)),
  )
  expect(writers.length).toBeGreaterThan(3)
  const missing = writers.filter((file) => !scripts.generate.includes(file.replace(/\.ts$/, '')))
  expect(missing).toEqual([])
})
