import { isFields } from '../protocol/json.ts'
import { atLeastOneOf, distinctBy } from './cross-field-rules.ts'
import { block, boolean, type CrossFieldRule, type Kind, kind, list, plainText, textObject } from './rule.ts'

/** What an input accepts. Slack also accepts most of these elsewhere, where this repository's app has only a menu. */
const INPUT_ELEMENTS = [
  ...['plain text input', 'number input', 'file input', 'checkboxes'],
  ...['static select', 'conversations select', 'multi external select'],
]

/** Slack accepts file_input only in modals, and only without `dispatch_action`. */
const fileInputRule: CrossFieldRule = {
  check({ element, dispatch_action }, report, surface) {
    if (!isFields(element) || element.type !== 'file_input') return
    if (surface !== 'modal') report('/element/type', 'unsupported type: file_input')
    if (dispatch_action === true) report('/dispatch_action', 'must be false if the element is a file_input')
  },
}

/** The rules for blocks. Rich text has its own file. */
export const BLOCKS: readonly Kind[] = [
  block(
    'section',
    {
      text: textObject(3000),
      fields: list(textObject(2000), 10),
      expand: boolean,
      accessory: kind('button', 'overflow'),
    },
    { crossFieldRules: [atLeastOneOf('text', 'fields')] },
  ),
  block('header', { 'text!': plainText(150) }),
  block('divider', {}),
  block('context', { 'elements!': list(textObject(3000), 10) }),
  block(
    'actions',
    { 'elements!': list(kind('button', 'overflow', 'static select'), 25) },
    { crossFieldRules: [distinctBy('elements', 'action_id')] },
  ),
  block(
    'input',
    {
      'label!': plainText(2000),
      hint: plainText(2000),
      optional: boolean,
      dispatch_action: boolean,
      'element!': kind(...INPUT_ELEMENTS),
    },
    { crossFieldRules: [fileInputRule] },
  ),
]
