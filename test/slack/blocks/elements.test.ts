import fc from 'fast-check'
import { expect, it } from 'vitest'
import { commandButton, commandMenu } from '../../../packages/slack/src/blocks/command-buttons.ts'
import { menuOptions } from '../../../packages/slack/src/blocks/elements.ts'
import { ANY_CHARACTER } from '../../any-character.ts'

const texts = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 40 })
// Slack refuses these in a value, and with it the whole view.
const isRefused = (value: string | undefined) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the purpose
  value === undefined || /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(value) || !value.isWellFormed()

it('never puts a control character or half a character in the value of a button or an option', () => {
  fc.assert(
    fc.property(texts, (value) => {
      const choice = { label: 'A', value: `${value}\u0000\ud800`, chosen: true }
      const shown = commandMenu('Choose', [choice])
      const values = [
        commandButton('A', choice.value).value,
        ...(shown.options ?? []).map((option) => option.value),
        shown.initial_option?.value,
        ...menuOptions([choice]).options.map((option) => option.value),
      ]
      expect(values.filter(isRefused)).toEqual([])
    }),
  )
})
