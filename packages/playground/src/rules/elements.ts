import { distinctBy, initialIsOption } from './cross-field-rules.ts'
import { element, type Kind, kind, list, oneOfValues, plainText, text, type ValueType } from './rule.ts'

const action_id = text(255)
const confirm = kind('confirmation')
const interactiveFields: Record<string, ValueType> = { action_id, confirm }
/** The fields that menus have in common. */
export const menuFields: Record<string, ValueType> = { ...interactiveFields, placeholder: plainText(150) }

const boxOptions = list(kind('box option'), 10)
/** The rules for buttons, overflow menus, and checkboxes. */
export const ELEMENTS: readonly Kind[] = [
  element('button', {
    action_id,
    confirm,
    'text!': plainText(75),
    accessibility_label: text(75),
    value: text(2000, 0),
    style: oneOfValues('primary', 'danger'),
  }),
  element(
    'overflow',
    { action_id, confirm, 'options!': list(kind('menu option'), 5) },
    { crossFieldRules: [distinctBy('options', 'value')] },
  ),
  element(
    'checkboxes',
    { ...interactiveFields, 'options!': boxOptions, initial_options: boxOptions },
    { crossFieldRules: [initialIsOption, distinctBy('options', 'value')] },
  ),
]
