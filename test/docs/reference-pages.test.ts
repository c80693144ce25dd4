import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { generateReferencePages } from '../../docs/reference-pages.ts'

const pages = await generateReferencePages()

it.each([...pages].map(([file, text]) => [basename(file), file, text] as const))(
  'has an up-to-date docs/%s',
  async (name, file, text) => {
    const isUpToDate = (await readFile(file, 'utf8')) === text
    expect(isUpToDate, `docs/${name} is out of date: run npm run generate`).toBe(true)
  },
)

it('describes each variable, metric, and limit', () => {
  expect([...pages.values()].join('\n')).not.toMatch(/\| *(?:undefined|NaN)? *\|$/m)
})
