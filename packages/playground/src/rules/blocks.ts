import { isFields } from '../json.ts'
import { imageFields } from './elements.ts'
import {
  among,
  block,
  EVERYWHERE,
  flag,
  type Kind,
  kind,
  list,
  plain,
  type Together,
  text,
  whole,
  words,
} from './rule.ts'
import { distinctBy, oneOf, someOf } from './together.ts'

const SELECTS = ['static', 'external', 'users', 'conversations', 'channels'].map((of) => `${of} select`)
const CHOSEN = ['radio buttons', 'checkboxes', ...SELECTS, ...SELECTS.map((name) => `multi ${name}`)]
const PICKERS = ['date picker', 'time picker', 'date and time picker']
const TYPED = ['plain text', 'email text', 'url text', 'number', 'rich text', 'file'].map(
  (what) => `${what} input`,
)

/** file_input is accepted only in modals, and doesn't dispatch. */
const fileInput: Together = {
  says: 'a `file_input` is allowed in modals only, and without `dispatch_action`',
  check({ element, dispatch_action }, fault, surface) {
    if (!isFields(element) || element.type !== 'file_input') return
    if (surface !== 'modal') fault('/element/type', 'unsupported type: file_input')
    if (dispatch_action === true) fault('/dispatch_action', 'must be false where the element is a file_input')
  },
}

const RESPONSE_URL = 'must be false outside the input blocks of modals'
const responseUrlInInput: Together = {
  says: '`response_url_enabled` is allowed in modals only',
  check({ element }, fault, surface) {
    if (surface !== 'modal' && isFields(element) && element.response_url_enabled === true)
      fault('/element/response_url_enabled', RESPONSE_URL)
  },
}
const noResponseUrl: Together = {
  says: 'no element has `response_url_enabled`, which is only for input blocks in modals',
  check({ accessory, elements }, fault) {
    const isSet = (one: unknown) => isFields(one) && one.response_url_enabled === true
    if (isSet(accessory)) fault('/accessory/response_url_enabled', RESPONSE_URL)
    if (!Array.isArray(elements)) return
    for (const [index, one] of elements.entries())
      if (isSet(one)) fault(`/elements/${index}/response_url_enabled`, RESPONSE_URL)
  },
}
const distinctActions = distinctBy('elements', 'action_id')

/** The classic blocks. */
export const BLOCKS: readonly Kind[] = [
  block(
    'section',
    EVERYWHERE,
    {
      ...{ text: words(3000), fields: list(words(2000), 10), expand: flag },
      accessory: kind(
        ...['button', 'workflow button', 'image element', 'overflow', 'date picker', 'time picker'],
        ...CHOSEN,
      ),
    },
    { together: [someOf('text', 'fields'), noResponseUrl] },
  ),
  block('header', EVERYWHERE, { 'text!': plain(150), level: whole(1, 4) }),
  block('divider', EVERYWHERE, {}),
  block('context', EVERYWHERE, {
    'elements!': list({ is: 'either', of: [words(3000), kind('image element')] }, 10),
  }),
  block(
    'actions',
    EVERYWHERE,
    {
      'elements!': list(
        kind('button', 'workflow button', 'overflow', 'rich text input', ...PICKERS, ...CHOSEN),
        25,
      ),
    },
    { together: [distinctActions, noResponseUrl] },
  ),
  block(
    'context_actions',
    ['message'],
    { 'elements!': list(kind('feedback buttons', 'icon button'), 5) },
    { together: [distinctActions] },
  ),
  block(
    'image',
    EVERYWHERE,
    { ...imageFields, title: plain(2000) },
    { together: [oneOf('image_url', 'slack_file')] },
  ),
  block(
    'input',
    EVERYWHERE,
    {
      ...{ 'label!': plain(2000), hint: plain(2000), optional: flag, dispatch_action: flag },
      'element!': kind(...TYPED, ...PICKERS, ...CHOSEN),
    },
    { together: [fileInput, responseUrlInInput] },
  ),
  block('markdown', ['message'], { 'text!': text(12_000) }),
  block('alert', ['modal'], {
    'text!': words(200),
    level: among('default', 'info', 'warning', 'error', 'success'),
  }),
]
