import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

const rows = read('GLOSSARY.md')
  .split('\n')
  .filter((line) => /^\| (?!word|---)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))

it('explains at most 20 words of our own, each once', () => {
  const words = rows.map(([, word]) => word)
  expect(words.length).toBeLessThanOrEqual(20)
  expect(words).toEqual([...new Set(words)])
})

it.each(rows)('%s%s stands in a file that is there', (_, _word, _meaning, where = '') => {
  const [, file = ''] = /\]\(([^)]+)\)/.exec(where) ?? []
  expect(existsSync(join(ROOT, file)), file).toBe(true)
})

it('is linked in the README', () => {
  expect(read('README.md')).toContain('(GLOSSARY.md)')
})
