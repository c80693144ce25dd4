import { expect, it } from 'vitest'
import { listFiles, readSource } from '../source-files.ts'

const { scripts } = JSON.parse(readSource('package.json'))

it('writes every generated page with npm run generate', () => {
  const writers = [...listFiles('docs'), ...listFiles('packages/playground/docs')].filter((file) =>
    /import \{[^}]*\bwriteFile/.test(readSource(file)),
  )
  const missing = writers.filter((file) => !scripts.generate.includes(file.replace(/\.ts$/, '')))
  expect(missing).toEqual([])
})
