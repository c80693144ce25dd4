import { expect, it } from 'vitest'
import { generateSentencesPage } from '../../docs/sentences-page.ts'
import { readSource } from '../source-files.ts'

const page = generateSentencesPage()

it('keeps docs/dev/sentences.md up to date: npm run generate', () => {
  expect(
    readSource('docs/dev/sentences.md') === page,
    'docs/dev/sentences.md is out of date: npm run generate',
  ).toBe(true)
})

it.each([
  ['an error', 'Something went wrong inside Signalman.'],
  ['a label', 'Share to channel'],
  ['a sentence with a value', 'No one here is named @‹name›.'],
  ['a sentence of the command line', 'There’s no database at ‹file›.'],
  ['a sentence of the doctor', 'It responds and accepts the token.'],
])('includes %s', (_, sentence) => {
  expect(page).toContain(sentence)
})

it('contains no log line, SQL, or command', () => {
  expect(page).not.toMatch(/^- (?:select |insert |\/hc )/m)
  expect(page).not.toContain('Showed a problem to the person')
})
