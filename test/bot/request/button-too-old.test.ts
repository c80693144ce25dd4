import { expect, it } from 'vitest'
import { ButtonTooOld } from '../../../src/bot/request/buttons.ts'

it.each([
  { next: 'Type the command again.', expected: 'This button is too old. Type the command again.' },
  {
    unknown: 'what was typed',
    expected: 'This button is too old, and Signalman no longer knows what was typed.',
  },
  {
    unknown: 'the file',
    next: 'Choose it again.',
    expected: 'This button is too old, and Signalman no longer knows the file. Choose it again.',
  },
])('says what was lost with an old button, and what to do: $expected', ({ expected, ...details }) => {
  expect(new ButtonTooOld(details).message).toBe(expected)
})
