import { distinctBy, exactlyOneOf, initialIsOption } from './cross-field-rules.ts'
import { element, type Kind, kind, list, oneOfValues, plainText, text, url, type ValueType } from './rule.ts'

const action_id = text(255)
const confirm = kind('confirmation')
const interactiveFields: Record<string, ValueType> = { action_id, confirm }
/** The fields that menus have in common. */
export const menuFields: Record<string, ValueType> = { ...interactiveFields, placeholder: plainText(150) }

/** The fields that image blocks and image elements have in common. */
export const imageFields: Record<string, ValueType> = {
  image_url: url('https', 'http'),
  slack_file: kind('slack file'),
  'alt_text!': text(2000),
}

const boxOptions = list(kind('box option'), 10)
/** The rules for buttons, checkboxes, and images. */
export const ELEMENTS: readonly Kind[] = [
  element(['button', 'button', 'button-element'], {
    action_id,
    confirm,
    'text!': plainText(75),
    accessibility_label: text(75),
    value: text(2000, 0),
    style: oneOfValues('primary', 'danger'),
    url: url('https', 'http', 'mailto', 'slack'),
  }),
  element(
    ['overflow', 'overflow', 'overflow-menu-element'],
    { action_id, confirm, 'options!': list(kind('overflow option'), 5) },
    { crossFieldRules: [distinctBy('options', 'value')] },
  ),
  element(
    ['checkboxes', 'checkboxes', 'checkboxes-element'],
    { ...interactiveFields, 'options!': boxOptions, initial_options: boxOptions },
    { crossFieldRules: [initialIsOption, distinctBy('options', 'value')] },
  ),
  element(['image element', 'image', 'image-element'], imageFields, {
    crossFieldRules: [exactlyOneOf('image_url', 'slack_file')],
  }),
]
