import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'
import {
  actions,
  button,
  confirm,
  input,
  modal,
  mrkdwn,
  option,
  plain,
  repeatX,
  rich,
  section,
  select,
  times,
} from './samples.ts'

/** What breaks one rule, and the error: its JSON pointer below the invalid thing, and its text. */
type Refused = [invalid: Json, error: string]

const long = (length: number): Fields => plain(repeatX(length))
const options = (count: number): Json[] => times(count, (index) => option('o', String(index)))

const BLOCKS: Refused[] = [
  [{}, '/: missing required field: type'],
  [{ type: 'nope' }, '/type: unsupported type: nope (unless Slack has it and the playground lacks it)'],
  [
    { type: 'constructor' },
    '/type: unsupported type: constructor (unless Slack has it and the playground lacks it)',
  ],
  [
    { type: 'divider', text: 'x' },
    '/: invalid additional property: text (unless Slack has it and the playground lacks it)',
  ],
  [{ type: 'divider', block_id: repeatX(256) }, '/block_id: must be less than 256 characters'],
  [{ type: 'section' }, '/: missing required field: text'],
  [section({ text: 'hi' }), '/text: must provide an object'],
  [section({ text: mrkdwn(repeatX(3001)) }), '/text/text: must be less than 3001 characters'],
  [
    section({ text: { ...mrkdwn('x'), emoji: true } }),
    '/text: invalid additional property: emoji (unless Slack has it and the playground lacks it)',
  ],
  [section({ fields: times(11, () => plain('x')) }), '/fields: no more than 10 items allowed'],
  [section({ fields: [long(2001)] }), '/fields/0/text: must be less than 2001 characters'],
  [
    section({ accessory: { type: 'file_input' } }),
    '/accessory/type: unsupported type: file_input (unless Slack has it and the playground lacks it)',
  ],
  [{ type: 'header', text: long(151) }, '/text/text: must be less than 151 characters'],
  [{ type: 'header', text: mrkdwn('x') }, '/text/type: must be plain_text'],
  [{ type: 'context', elements: [] }, '/elements: must provide at least 1 items'],
  [{ type: 'context', elements: times(11, () => plain('x')) }, '/elements: no more than 10 items allowed'],
  [
    { type: 'context', elements: [button()] },
    '/elements/0/type: unsupported type: button (unless Slack has it and the playground lacks it)',
  ],
  [actions(...times(26, () => button())), '/elements: no more than 25 items allowed'],
  [
    actions({ type: 'image' }),
    '/elements/0/type: unsupported type: image (unless Slack has it and the playground lacks it)',
  ],
  [
    actions(button({ action_id: 'a' }), button({ action_id: 'a' })),
    '/elements/1/action_id: `action_id` "a" already exists among the elements',
  ],
  [input({ type: 'file_input' }), '/element/type: unsupported type: file_input'],
  [{ type: 'divider', block_id: 7 }, '/block_id: must provide a string'],
  [section({ expand: 'yes' }), '/expand: must provide a boolean'],
  [section({ text: { text: 'x' } }), '/text: missing required field: type'],
  [
    section({ text: { type: 'markdown', text: 'x' } }),
    '/text/type: unsupported type: markdown (unless Slack has it and the playground lacks it)',
  ],
  [{ type: 'actions', elements: 'x' }, '/elements: must provide an array'],
  [
    rich({ type: 'rich_text_list', elements: [] }),
    '/elements/0/type: unsupported type: rich_text_list (unless Slack has it and the playground lacks it)',
  ],
  [
    rich({ type: 'rich_text_section', elements: [{ type: 'link', url: 'ftp://example.com' }] }),
    '/elements/0/elements/0/url: must be a valid URL that starts with https: or http:',
  ],
]

const BUTTONS: Refused[] = [
  [{ text: long(76) }, '/text/text: must be less than 76 characters'],
  [{ action_id: repeatX(256) }, '/action_id: must be less than 256 characters'],
  [{ value: repeatX(2001) }, '/value: must be less than 2001 characters'],
  [{ style: 'default' }, '/style: must be one of: primary, danger'],
  [{ accessibility_label: repeatX(76) }, '/accessibility_label: must be less than 76 characters'],
  [{ confirm: confirm({ title: long(101) }) }, '/confirm/title/text: must be less than 101 characters'],
  [{ confirm: confirm({ text: long(301) }) }, '/confirm/text/text: must be less than 301 characters'],
  [{ confirm: confirm({ confirm: long(31) }) }, '/confirm/confirm/text: must be less than 31 characters'],
  [{ confirm: confirm({ deny: long(31) }) }, '/confirm/deny/text: must be less than 31 characters'],
  [{ confirm: confirm({ style: 'warning' }) }, '/confirm/style: must be one of: primary, danger'],
]

const INPUTS: Refused[] = [
  [
    { type: 'button', text: plain('x') },
    '/type: unsupported type: button (unless Slack has it and the playground lacks it)',
  ],
  [
    { type: 'overflow', options: [] },
    '/type: unsupported type: overflow (unless Slack has it and the playground lacks it)',
  ],
  [{ type: 'plain_text_input', max_length: 3001 }, '/max_length: must be less than or equal to 3000'],
  [{ type: 'plain_text_input', max_length: 1.5 }, '/max_length: must provide an integer'],
  [
    {
      type: 'plain_text_input',
      dispatch_action_config: { trigger_actions_on: ['on_enter_pressed', 'on_enter_pressed'] },
    },
    '/dispatch_action_config/trigger_actions_on/1: must not be a duplicate',
  ],
  [
    { type: 'plain_text_input', initial_value: repeatX(3001) },
    '/initial_value: must be less than 3001 characters',
  ],
  [
    { type: 'plain_text_input', initial_value: 'a\u0000b' },
    '/initial_value: must not contain control characters',
  ],
  [
    { type: 'plain_text_input', placeholder: long(151) },
    '/placeholder/text: must be less than 151 characters',
  ],
  [
    { type: 'plain_text_input', dispatch_action_config: { trigger_actions_on: ['on_blur'] } },
    '/dispatch_action_config/trigger_actions_on/0: must be one of: on_enter_pressed, on_character_entered',
  ],
  [{ type: 'number_input' }, '/: missing required field: is_decimal_allowed'],
  [{ type: 'file_input', max_files: 11 }, '/max_files: must be less than or equal to 10'],
  [
    { type: 'conversations_select', filter: { include: ['all'] } },
    '/filter/include/0: must be one of: im, mpim, private, public',
  ],
  [
    { type: 'multi_external_select', options: [] },
    '/: invalid additional property: options (unless Slack has it and the playground lacks it)',
  ],
  [
    { type: 'multi_external_select', min_query_length: -1 },
    '/min_query_length: must be greater than or equal to 0',
  ],
  [select({ options: [] }), '/options: must provide at least 1 items'],
  [select({ options: options(101) }), '/options: no more than 100 items allowed'],
  [select({ options: [option(repeatX(76))] }), '/options/0/text/text: must be less than 76 characters'],
  [select({ options: [option('A', repeatX(151))] }), '/options/0/value: must be less than 151 characters'],
  [select({ options: [option('A', '')] }), '/options/0/value: must be more than 0 characters'],
  [select({ initial_option: option('B', 'b') }), '/initial_option: must be one of the provided options'],
  [select({ initial_option: option('B', 'a') }), '/initial_option: must be one of the provided options'],
  [{ type: 'static_select' }, '/: missing required field: options'],
  [
    { type: 'multi_external_select', max_selected_items: 0 },
    '/max_selected_items: must be greater than or equal to 1',
  ],
  [
    { type: 'checkboxes', options: [option()], initial_options: [option('B', 'b')] },
    '/initial_options/0: must be one of the provided options',
  ],
  [
    { type: 'multi_external_select', initial_options: options(2), max_selected_items: 1 },
    '/initial_options: no more than 1 items allowed',
  ],
  [{ type: 'checkboxes', options: options(11) }, '/options: no more than 10 items allowed'],
  [
    { type: 'checkboxes', options: [option(), option('B', 'a')] },
    '/options/1/value: `value` "a" already exists among the options',
  ],
]

const NUMBERS: Refused[] = [
  [{ initial_value: '1.5' }, '/initial_value: must be a whole number if is_decimal_allowed is false'],
  [{ min_value: '0.5' }, '/min_value: must be a whole number if is_decimal_allowed is false'],
  [{ initial_value: '1', min_value: '2' }, '/initial_value: must be greater than or equal to min_value'],
  [{ initial_value: '3', max_value: '2' }, '/initial_value: must be less than or equal to max_value'],
  [{ min_value: '3', max_value: '2' }, '/min_value: must be less than or equal to max_value'],
  [{ max_value: 2 }, '/max_value: must be a number in a string'],
]

const UNESCAPED =
  "/blocks/0/text/text: must escape &, <, and > as &amp;, &lt;, and &gt; where they aren't markup"
const VIEWS: Refused[] = [
  ['{', '/: must provide an object'],
  [{ title: plain('T'), blocks: [] }, '/: missing required field: type'],
  [{ type: 'home', blocks: [] }, '/type: unsupported type: home'],
  [modal({ title: long(25) }), '/title/text: must be less than 25 characters'],
  [modal({ submit: long(25) }), '/submit/text: must be less than 25 characters'],
  [modal({ close: long(25) }), '/close/text: must be less than 25 characters'],
  [modal({ private_metadata: repeatX(3001) }), '/private_metadata: must be less than 3001 characters'],
  [modal({ callback_id: repeatX(256) }), '/callback_id: must be less than 256 characters'],
  [modal({ blocks: times(101, () => ({ type: 'divider' })) }), '/blocks: no more than 100 items allowed'],
  [
    { type: 'modal', title: plain('T'), blocks: [{ type: 'divider' }, input({ type: 'plain_text_input' })] },
    '/blocks/1/input: must define `submit` to use an `input` block in modals',
  ],
  ...[{ label: long(2001) }, { hint: long(2001) }].map(
    (text): Refused => [
      modal({ blocks: [input({ type: 'plain_text_input' }, text)] }),
      `/blocks/0/${Object.keys(text)[0]}/text: must be less than 2001 characters`,
    ],
  ),
  ...['a < b', 'R&D', '<script>', 'a -> b'].map(
    (text): Refused => [modal({ blocks: [section({ text: mrkdwn(text) })] }), UNESCAPED],
  ),
  ...['bell \u0007', 'lone surrogate \ud83d'].map(
    (text): Refused => [
      modal({ blocks: [section({ text: mrkdwn(text) })] }),
      '/blocks/0/text/text: must not contain control characters',
    ],
  ),
  [
    modal({
      blocks: [
        rich({ type: 'rich_text_section', elements: [{ type: 'date', timestamp: -1, format: '{date}' }] }),
      ],
    }),
    '/blocks/0/elements/0/elements/0/timestamp: must be greater than or equal to 0',
  ],
]

/** The error names the test, because the payloads are long. */
const byError = (cases: Refused[]) => cases.map(([invalid, error]) => ({ error, invalid }))

const inMessage = (blocks: Json): Fields => ({ channel: 'C0GENERAL1', text: 'x', blocks })
const inView = (view: Json): Fields => ({ trigger_id: 'x', view })
const inForm = (element: Json): Fields => inView(modal({ blocks: [input(element)] }))

describe('a payload that breaks one rule', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(undefined, { levels: ['slack', 'careful'] })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const expectRefusal = async (method: string, args: Fields, path: string, error: string) => {
    const [, pointer, text] = /^(.*?): (.*)$/.exec(error) ?? []
    expect(await world.api(method, args)).toMatchObject({
      status: 200,
      ok: false,
      error: method === 'views.open' ? 'invalid_arguments' : 'invalid_blocks',
      response_metadata: {
        messages: [`[ERROR] ${text} [json-pointer:${path}${pointer === '/' ? '' : pointer}]`],
      },
    })
  }

  it.each(byError(BLOCKS))('is refused in a message: $error', ({ error, invalid }) =>
    expectRefusal('chat.postMessage', inMessage([invalid]), '/blocks/0', error),
  )

  it.each(byError(BUTTONS))('is refused as a button: $error', ({ error, invalid }) =>
    expectRefusal(
      'chat.postMessage',
      inMessage([actions(button(Object(invalid)))]),
      '/blocks/0/elements/0',
      error,
    ),
  )

  it.each(byError(INPUTS))('is refused as an input: $error', ({ error, invalid }) =>
    expectRefusal('views.open', inForm(invalid), '/view/blocks/0/element', error),
  )

  it.each(byError(NUMBERS))('is refused as a number: $error', ({ error, invalid }) =>
    expectRefusal(
      'views.open',
      inForm({ type: 'number_input', is_decimal_allowed: false, ...Object(invalid) }),
      '/view/blocks/0/element',
      error,
    ),
  )

  it.each(byError(VIEWS))('is refused as a view: $error', ({ error, invalid }) =>
    expectRefusal('views.open', inView(invalid), '/view', error),
  )
})
