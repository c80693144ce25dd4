import { sentences } from '@signalman/slack'
import { expect, it } from 'vitest'

it.each([
  ['Use `production` or `ote`.', ['Use ', '`production`', ' or ', '`ote`', '.']],
  ['“`x`” isn’t an environment.', ['“`x`” isn’t an environment.']],
  ['A lone ` stays.', ['A lone ` stays.']],
  ['“Never closed, `code`', ['“Never closed, ', '`code`']],
  ['Two\nlines', ['Two\nlines']],
])('formats the words in backticks as code: %j', (text, expected) => {
  const [section] = sentences(text).elements
  const spans = section?.elements.map((element) =>
    element.type === 'text' && element.style?.code
      ? `\`${element.text}\``
      : 'text' in element && element.text,
  )
  expect(spans).toEqual(expected)
})
