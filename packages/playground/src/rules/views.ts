import { objectsIn } from '../protocol/json.ts'
import { anything, type CrossFieldRule, type Kind, object, plainText, text, type ValueType } from './rule.ts'

/** The fields that modals and Home tabs have in common. checkBlocks validates `blocks`. */
const commonFields: Record<string, ValueType> = {
  'blocks!': anything,
  private_metadata: text(3000, 0),
  callback_id: text(255, 0),
}

const inputsNeedSubmit: CrossFieldRule = {
  check(value, report) {
    if (value.submit !== undefined) return
    const index = objectsIn(value.blocks).findIndex(({ type }) => type === 'input')
    if (index >= 0) report(`/blocks/${index}/input`, 'must define `submit` to use an `input` block in modals')
  },
}

const titleFields = { 'title!': plainText(24), submit: plainText(24), close: plainText(24) }

export const VIEWS: readonly Kind[] = [
  object(
    'modal',
    { ...commonFields, ...titleFields },
    { type: 'modal', crossFieldRules: [inputsNeedSubmit] },
  ),
  object('home', commonFields, { type: 'home' }),
]
