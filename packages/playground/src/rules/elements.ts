import {
  address,
  among,
  element,
  flag,
  type Kind,
  kind,
  list,
  part,
  plain,
  type Type,
  text,
  whole,
} from './rule.ts'
import { distinctBy, initialAmongOptions, oneOf } from './together.ts'

const action_id = text(255)
const confirm = kind('confirmation')
const asked: Record<string, Type> = { action_id, focus_on_load: flag, confirm }
/** The fields of every menu, and of every picker of a date or time. */
export const placed: Record<string, Type> = { ...asked, placeholder: plain(150) }

/** The fields of every image: its source, and its alt text. */
export const imageFields: Record<string, Type> = {
  image_url: address('https', 'http'),
  slack_file: kind('slack file'),
  'alt_text!': text(2000),
}

const label = { 'text!': plain(75), accessibility_label: text(75) }
const pressed: Record<string, Type> = { action_id, confirm, ...label }
const style = among('primary', 'danger')
const value = text(2000, 0)
const feedback = kind('feedback button')
const boxes = list(kind('box option'), 10)
const chosenFrom = { together: [initialAmongOptions, distinctBy('options', 'value')] }
const time: Type = {
  is: 'pattern',
  pattern: /^([01]\d|2[0-3]):[0-5]\d$/,
  wanted: 'a time in the form HH:mm',
}

/** Buttons, pickers, checkboxes, and images. */
export const ELEMENTS: readonly Kind[] = [
  element(['button', 'button', 'button-element'], {
    ...{ ...pressed, value, style },
    url: address('https', 'http', 'mailto', 'slack'),
  }),
  element(['workflow button', 'workflow_button', 'workflow-button-element'], {
    ...{ ...pressed, style, 'workflow!': kind('workflow') },
  }),
  element(['icon button', 'icon_button', 'icon-button-element'], {
    ...{ ...pressed, value, 'icon!': among('trash') },
    visible_to_user_ids: list(text(50), 100),
  }),
  element(['feedback buttons', 'feedback_buttons', 'feedback-buttons-element'], {
    ...{ action_id, 'positive_button!': feedback, 'negative_button!': feedback },
  }),
  part('feedback button', 'block-kit/block-elements/feedback-buttons-element', {
    ...{ ...label, 'value!': text(2000) },
  }),
  element(
    ['overflow', 'overflow', 'overflow-menu-element'],
    { action_id, confirm, 'options!': list(kind('overflow option'), 5) },
    { together: [distinctBy('options', 'value')] },
  ),
  element(['date picker', 'datepicker', 'date-picker-element'], { ...placed, initial_date: { is: 'date' } }),
  element(
    ['time picker', 'timepicker', 'time-picker-element'],
    { ...placed, initial_time: time, timezone: text(100) },
    { unsettled: "Whether Slack refuses a time zone that doesn't exist isn't known." },
  ),
  element(['date and time picker', 'datetimepicker', 'datetime-picker-element'], {
    ...{ ...asked, initial_date_time: whole(1_000_000_000, 9_999_999_999) },
  }),
  element(
    ['radio buttons', 'radio_buttons', 'radio-button-group-element'],
    { ...asked, 'options!': boxes, initial_option: kind('box option') },
    chosenFrom,
  ),
  element(
    ['checkboxes', 'checkboxes', 'checkboxes-element'],
    { ...asked, 'options!': boxes, initial_options: boxes },
    chosenFrom,
  ),
  element(['image element', 'image', 'image-element'], imageFields, {
    together: [oneOf('image_url', 'slack_file')],
  }),
  element(
    ['url source', 'url', 'url-source-element'],
    { 'url!': address('https', 'http'), 'text!': text(3000) },
    { unsettled: "The maximum length of its text isn't documented." },
  ),
]
