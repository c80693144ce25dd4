import { distinctBy, exactlyOneOf, initialIsOption } from './cross-field-rules.ts'
import {
  boolean,
  element,
  integer,
  type Kind,
  kind,
  list,
  object,
  oneOfValues,
  plainText,
  text,
  url,
  type ValueType,
} from './rule.ts'

const action_id = text(255)
const confirm = kind('confirmation')
const interactiveFields: Record<string, ValueType> = { action_id, focus_on_load: boolean, confirm }
/** The fields that menus, date pickers, and time pickers have in common. */
export const menuFields: Record<string, ValueType> = { ...interactiveFields, placeholder: plainText(150) }

/** The fields that image blocks and image elements have in common. */
export const imageFields: Record<string, ValueType> = {
  image_url: url('https', 'http'),
  slack_file: kind('slack file'),
  'alt_text!': text(2000),
}

const labelFields = { 'text!': plainText(75), accessibility_label: text(75) }
const buttonFields: Record<string, ValueType> = { action_id, confirm, ...labelFields }
const style = oneOfValues('primary', 'danger')
const value = text(2000, 0)
const feedback = kind('feedback button')
/** The options of radio buttons and checkboxes. */
const boxOptions = list(kind('box option'), 10)
const optionRules = { crossFieldRules: [initialIsOption, distinctBy('options', 'value')] }
const timeOfDay: ValueType = {
  type: 'pattern',
  pattern: /^([01]\d|2[0-3]):[0-5]\d$/,
  expected: 'a time in the form HH:mm',
}

/** The rules for buttons, pickers, radio buttons, checkboxes, and images. */
export const ELEMENTS: readonly Kind[] = [
  element(['button', 'button', 'button-element'], {
    ...buttonFields,
    value,
    style,
    url: url('https', 'http', 'mailto', 'slack'),
  }),
  element(['workflow button', 'workflow_button', 'workflow-button-element'], {
    ...buttonFields,
    style,
    'workflow!': kind('workflow'),
  }),
  element(['icon button', 'icon_button', 'icon-button-element'], {
    ...buttonFields,
    value,
    'icon!': oneOfValues('trash'),
    visible_to_user_ids: list(text(50), 100),
  }),
  element(['feedback buttons', 'feedback_buttons', 'feedback-buttons-element'], {
    action_id,
    'positive_button!': feedback,
    'negative_button!': feedback,
  }),
  object('feedback button', 'reference/block-kit/block-elements/feedback-buttons-element', {
    ...labelFields,
    'value!': text(2000),
  }),
  element(
    ['overflow', 'overflow', 'overflow-menu-element'],
    { action_id, confirm, 'options!': list(kind('overflow option'), 5) },
    { crossFieldRules: [distinctBy('options', 'value')] },
  ),
  element(['date picker', 'datepicker', 'date-picker-element'], {
    ...menuFields,
    initial_date: { type: 'date' },
  }),
  element(
    ['time picker', 'timepicker', 'time-picker-element'],
    { ...menuFields, initial_time: timeOfDay, timezone: text(100) },
    { openQuestion: "It isn't documented whether Slack refuses time zones that don't exist." },
  ),
  element(['date and time picker', 'datetimepicker', 'datetime-picker-element'], {
    ...interactiveFields,
    initial_date_time: integer(1_000_000_000, 9_999_999_999),
  }),
  element(
    ['radio buttons', 'radio_buttons', 'radio-button-group-element'],
    { ...interactiveFields, 'options!': boxOptions, initial_option: kind('box option') },
    optionRules,
  ),
  element(
    ['checkboxes', 'checkboxes', 'checkboxes-element'],
    { ...interactiveFields, 'options!': boxOptions, initial_options: boxOptions },
    optionRules,
  ),
  element(['image element', 'image', 'image-element'], imageFields, {
    crossFieldRules: [exactlyOneOf('image_url', 'slack_file')],
  }),
  element(
    ['url source', 'url', 'url-source-element'],
    { 'url!': url('https', 'http'), 'text!': text(3000) },
    { openQuestion: "The maximum length of its text isn't documented." },
  ),
]
