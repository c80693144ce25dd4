import {
  address,
  among,
  anything,
  choice,
  fields,
  flag,
  type Kind,
  kind,
  list,
  plain,
  say,
  type Type,
  text,
  whole,
} from './rule.ts'
import { distinctOptions, initialAmongOptions, oneOf } from './together.ts'

export const source = (page: string): string => `block-kit/block-elements/${page}`
export const base: Record<string, Type> = { 'type!': anything, action_id: text(255) }
export const confirm = kind('confirmation')
export const asked: Record<string, Type> = { ...base, focus_on_load: flag, confirm }
export const placed: Record<string, Type> = { ...asked, placeholder: plain(150) }

/** What every image has: where it is from, and its text for those who do not see it. */
export const imageFields: Record<string, Type> = {
  image_url: address('https', 'http'),
  slack_file: kind('slack file'),
  'alt_text!': text(2000),
}

export const EXAMPLE_CONFIRM = {
  title: say('Sure?'),
  text: say('Really?'),
  confirm: say('Yes'),
  deny: say('No'),
}
const ASKED = { action_id: 'a', focus_on_load: true, confirm: EXAMPLE_CONFIRM }
const PLACED = { ...ASKED, placeholder: say('Choose') }
const EXAMPLE_BUTTON = { text: say('Go'), value: 'go', accessibility_label: 'Go there' }
const FEEDBACK = { text: say('Good'), value: 'good', accessibility_label: 'This was good' }
const feedback = kind('feedback button')

/** Buttons, pickers, boxes and images. */
export const ELEMENTS: readonly Kind[] = [
  {
    name: 'button',
    family: 'element',
    type: 'button',
    fields: fields({
      ...base,
      confirm,
      'text!': plain(75),
      value: text(2000, 0),
      url: address('https', 'http', 'mailto', 'slack'),
      style: among('primary', 'danger'),
      accessibility_label: text(75),
    }),
    source: source('button-element'),
    example: {
      type: 'button',
      action_id: 'a',
      ...EXAMPLE_BUTTON,
      url: 'https://example.com',
      style: 'primary',
      confirm: EXAMPLE_CONFIRM,
    },
  },
  {
    name: 'workflow button',
    family: 'element',
    type: 'workflow_button',
    fields: fields({
      ...base,
      confirm,
      'text!': plain(75),
      'workflow!': kind('workflow'),
      style: among('primary', 'danger'),
      accessibility_label: text(75),
    }),
    source: source('workflow-button-element'),
    example: {
      type: 'workflow_button',
      action_id: 'a',
      text: say('Start'),
      workflow: { trigger: { url: 'https://slack.com/shortcuts/Ft0TRIGGER/abc' } },
      style: 'danger',
      accessibility_label: 'Start it',
      confirm: EXAMPLE_CONFIRM,
    },
  },
  {
    name: 'icon button',
    family: 'element',
    type: 'icon_button',
    fields: fields({
      ...base,
      confirm,
      'icon!': among('trash'),
      'text!': plain(75),
      value: text(2000, 0),
      accessibility_label: text(75),
      visible_to_user_ids: list(text(50), 100),
    }),
    source: source('icon-button-element'),
    example: {
      type: 'icon_button',
      action_id: 'a',
      icon: 'trash',
      ...EXAMPLE_BUTTON,
      visible_to_user_ids: ['U0MEMBER01'],
      confirm: EXAMPLE_CONFIRM,
    },
  },
  {
    name: 'feedback buttons',
    family: 'element',
    type: 'feedback_buttons',
    fields: fields({ ...base, 'positive_button!': feedback, 'negative_button!': feedback }),
    source: source('feedback-buttons-element'),
    example: {
      type: 'feedback_buttons',
      action_id: 'a',
      positive_button: FEEDBACK,
      negative_button: { ...FEEDBACK, text: say('Bad'), value: 'bad' },
    },
  },
  {
    name: 'feedback button',
    family: 'object',
    fields: fields({ 'text!': plain(75), 'value!': text(2000), accessibility_label: text(75) }),
    source: source('feedback-buttons-element'),
    example: FEEDBACK,
  },
  {
    name: 'overflow',
    family: 'element',
    type: 'overflow',
    fields: fields({ ...base, confirm, 'options!': list(kind('overflow option'), 5) }),
    together: [distinctOptions],
    source: source('overflow-menu-element'),
    example: { type: 'overflow', action_id: 'a', options: [choice('One', '1')], confirm: EXAMPLE_CONFIRM },
  },
  {
    name: 'date picker',
    family: 'element',
    type: 'datepicker',
    fields: fields({ ...placed, initial_date: { is: 'date' } }),
    source: source('date-picker-element'),
    example: { type: 'datepicker', ...PLACED, initial_date: '2026-11-20' },
  },
  {
    name: 'time picker',
    family: 'element',
    type: 'timepicker',
    fields: fields({
      ...placed,
      initial_time: {
        is: 'pattern',
        pattern: /^([01]\d|2[0-3]):[0-5]\d$/,
        wanted: 'a time in the form HH:mm',
      },
      timezone: text(100),
    }),
    source: source('time-picker-element'),
    unsettled: 'Whether Slack refuses a time zone that does not exist is not known.',
    example: { type: 'timepicker', ...PLACED, initial_time: '22:25', timezone: 'Europe/Berlin' },
  },
  {
    name: 'date and time picker',
    family: 'element',
    type: 'datetimepicker',
    fields: fields({ ...asked, initial_date_time: whole(1_000_000_000, 9_999_999_999) }),
    source: source('datetime-picker-element'),
    example: { type: 'datetimepicker', ...ASKED, initial_date_time: 1_795_000_000 },
  },
  {
    name: 'radio buttons',
    family: 'element',
    type: 'radio_buttons',
    fields: fields({
      ...asked,
      'options!': list(kind('box option'), 10),
      initial_option: kind('box option'),
    }),
    together: [initialAmongOptions, distinctOptions],
    source: source('radio-button-group-element'),
    example: {
      type: 'radio_buttons',
      ...ASKED,
      options: [choice('One', '1'), choice('Two', '2')],
      initial_option: choice('Two', '2'),
    },
  },
  {
    name: 'checkboxes',
    family: 'element',
    type: 'checkboxes',
    fields: fields({
      ...asked,
      'options!': list(kind('box option'), 10),
      initial_options: list(kind('box option'), 10),
    }),
    together: [initialAmongOptions, distinctOptions],
    source: source('checkboxes-element'),
    example: {
      type: 'checkboxes',
      ...ASKED,
      options: [choice('One', '1'), choice('Two', '2')],
      initial_options: [choice('Two', '2')],
    },
  },
  {
    name: 'image element',
    family: 'element',
    type: 'image',
    fields: fields({ 'type!': anything, ...imageFields }),
    together: [oneOf('image_url', 'slack_file')],
    source: source('image-element'),
    example: { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'A picture' },
  },
  {
    name: 'url source',
    family: 'element',
    type: 'url',
    fields: fields({ 'type!': anything, 'url!': address('https', 'http'), 'text!': text(3000) }),
    source: source('url-source-element'),
    unsettled: 'How long its text may be is not said.',
    example: { type: 'url', url: 'https://example.com', text: 'Where it is from' },
  },
]
