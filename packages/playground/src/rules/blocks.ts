import { isFields } from '../json.ts'
import { EXAMPLE_CONFIRM, imageFields } from './elements.ts'
import {
  among,
  anything,
  choice,
  fields,
  flag,
  type Kind,
  kind,
  list,
  mark,
  plain,
  type Surface,
  say,
  type Together,
  type Type,
  text,
  whole,
  words,
} from './rule.ts'
import { distinctActions, oneOf, someOf } from './together.ts'

const SELECTS = [
  'static select',
  'external select',
  'users select',
  'conversations select',
  'channels select',
]
const MULTI = SELECTS.map((name) => `multi ${name}`)
const PICKERS = ['date picker', 'time picker', 'date and time picker']
const BOXES = ['radio buttons', 'checkboxes']
const TYPED = [
  'plain text input',
  'email text input',
  'url text input',
  'number input',
  'rich text input',
  'file input',
]

export const everywhere: readonly Surface[] = ['message', 'modal', 'home']
export const source = (page: string): string => `block-kit/blocks/${page}-block`
export const block: Record<string, Type> = { 'type!': anything, block_id: text(255) }

const SELECT = { type: 'users_select', action_id: 'a' }
const BUTTON = { type: 'button', action_id: 'a', text: say('Go'), confirm: EXAMPLE_CONFIRM }

/** file_input is taken in modals only, and does not dispatch. */
const fileInput: Together = {
  says: 'a `file_input` stands in modals only, and without `dispatch_action`',
  check({ element, dispatch_action }, fault, surface) {
    if (!isFields(element) || element.type !== 'file_input') return
    if (surface !== 'modal') fault('/element/type', 'unsupported type: file_input')
    if (dispatch_action === true) fault('/dispatch_action', 'must be false where the element is a file_input')
  },
}

const RESPONSE_URL = 'must be false outside the input blocks of modals'
const responseUrlInInput: Together = {
  says: '`response_url_enabled` stands in modals only',
  check({ element }, fault, surface) {
    if (surface !== 'modal' && isFields(element) && element.response_url_enabled === true)
      fault('/element/response_url_enabled', RESPONSE_URL)
  },
}
const noResponseUrl: Together = {
  says: 'no element has `response_url_enabled`, which belongs into input blocks of modals',
  check({ accessory, elements }, fault) {
    const isSet = (one: unknown) => isFields(one) && one.response_url_enabled === true
    if (isSet(accessory)) fault('/accessory/response_url_enabled', RESPONSE_URL)
    if (!Array.isArray(elements)) return
    for (const [index, one] of elements.entries())
      if (isSet(one)) fault(`/elements/${index}/response_url_enabled`, RESPONSE_URL)
  },
}

/** The classic blocks. */
export const BLOCKS: readonly Kind[] = [
  {
    name: 'section',
    family: 'block',
    type: 'section',
    surfaces: everywhere,
    fields: fields({
      ...block,
      text: words(3000),
      fields: list(words(2000), 10),
      accessory: kind(
        'button',
        'workflow button',
        'image element',
        'overflow',
        'date picker',
        'time picker',
        ...BOXES,
        ...SELECTS,
        ...MULTI,
      ),
      expand: flag,
    }),
    together: [someOf('text', 'fields'), noResponseUrl],
    source: source('section'),
    example: {
      type: 'section',
      block_id: 'b',
      text: mark('*Hello*'),
      fields: [say('One'), mark('_Two_')],
      accessory: BUTTON,
      expand: true,
    },
  },
  {
    name: 'header',
    family: 'block',
    type: 'header',
    surfaces: everywhere,
    fields: fields({ ...block, 'text!': plain(150), level: whole(1, 4) }),
    source: source('header'),
    example: { type: 'header', block_id: 'b', text: say('Hello'), level: 2 },
  },
  {
    name: 'divider',
    family: 'block',
    type: 'divider',
    surfaces: everywhere,
    fields: fields(block),
    source: source('divider'),
    example: { type: 'divider', block_id: 'b' },
  },
  {
    name: 'context',
    family: 'block',
    type: 'context',
    surfaces: everywhere,
    fields: fields({
      ...block,
      'elements!': list({ is: 'either', of: [words(3000), kind('image element')] }, 10),
    }),
    source: source('context'),
    example: {
      type: 'context',
      block_id: 'b',
      elements: [say('By Ann'), { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'Ann' }],
    },
  },
  {
    name: 'actions',
    family: 'block',
    type: 'actions',
    surfaces: everywhere,
    fields: fields({
      ...block,
      'elements!': list(
        kind(
          'button',
          'workflow button',
          'overflow',
          'rich text input',
          ...PICKERS,
          ...BOXES,
          ...SELECTS,
          ...MULTI,
        ),
        25,
      ),
    }),
    together: [distinctActions, noResponseUrl],
    source: source('actions'),
    example: { type: 'actions', block_id: 'b', elements: [BUTTON, { ...SELECT, action_id: 'b' }] },
  },
  {
    name: 'context actions',
    family: 'block',
    type: 'context_actions',
    surfaces: ['message'],
    fields: fields({ ...block, 'elements!': list(kind('feedback buttons', 'icon button'), 5) }),
    together: [distinctActions],
    source: source('context-actions'),
    example: {
      type: 'context_actions',
      block_id: 'b',
      elements: [{ type: 'icon_button', action_id: 'a', icon: 'trash', text: say('Delete') }],
    },
  },
  {
    name: 'image',
    family: 'block',
    type: 'image',
    surfaces: everywhere,
    fields: fields({ ...block, ...imageFields, title: plain(2000) }),
    together: [oneOf('image_url', 'slack_file')],
    source: source('image'),
    example: {
      type: 'image',
      block_id: 'b',
      image_url: 'http://example.com/a.png',
      alt_text: 'A picture',
      title: say('A'),
    },
  },
  {
    name: 'input',
    family: 'block',
    type: 'input',
    surfaces: everywhere,
    fields: fields({
      ...block,
      'label!': plain(2000),
      'element!': kind(...TYPED, ...PICKERS, ...BOXES, ...SELECTS, ...MULTI),
      hint: plain(2000),
      optional: flag,
      dispatch_action: flag,
    }),
    together: [fileInput, responseUrlInInput],
    source: source('input'),
    example: {
      type: 'input',
      block_id: 'b',
      label: say('Name'),
      element: { type: 'radio_buttons', action_id: 'a', options: [choice('One', '1')] },
      hint: say('In full'),
      optional: true,
      dispatch_action: true,
    },
  },
  {
    name: 'rich text',
    family: 'block',
    type: 'rich_text',
    surfaces: everywhere,
    fields: fields({
      ...block,
      'elements!': list(
        kind('rich text section', 'rich text list', 'rich text quote', 'rich text preformatted'),
        1000,
        0,
      ),
    }),
    source: source('rich-text'),
    unsettled: 'How many elements it may have is not said.',
    example: {
      type: 'rich_text',
      block_id: 'b',
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'said' }] }],
    },
  },
  {
    name: 'markdown',
    family: 'block',
    type: 'markdown',
    surfaces: ['message'],
    fields: fields({ ...block, 'text!': text(12_000) }),
    source: source('markdown'),
    example: { type: 'markdown', block_id: 'b', text: '**Hello** R&D: a < b' },
  },
  {
    name: 'alert',
    family: 'block',
    type: 'alert',
    surfaces: ['modal'],
    fields: fields({
      ...block,
      'text!': words(200),
      level: among('default', 'info', 'warning', 'error', 'success'),
    }),
    source: source('alert'),
    example: { type: 'alert', block_id: 'b', text: mark('*Beware*'), level: 'warning' },
  },
]
