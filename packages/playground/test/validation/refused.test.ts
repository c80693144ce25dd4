import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fields, Json } from '../../src/protocol/json.ts'
import { startWorld, type World } from '../app.ts'
import {
  actions,
  button,
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

const options = (count: number): Json[] => times(count, (index) => option('o', String(index)))

const UNKNOWN = '(unless Slack has it and the playground lacks it)'

/** One of each kind of rule. The table of rules says to what each applies. */
const BLOCKS: Refused[] = [
  [{}, '/: missing required field: type'],
  [{ type: 'constructor' }, `/type: unsupported type: constructor ${UNKNOWN}`],
  [{ type: 'divider', text: 'x' }, `/: invalid additional property: text ${UNKNOWN}`],
  [section({ text: 'hi' }), '/text: must provide an object'],
  [section({ expand: 'yes' }), '/expand: must provide a boolean'],
  [section({ text: mrkdwn(repeatX(3001)) }), '/text/text: must be less than 3001 characters'],
  [section({ fields: times(11, () => plain('x')) }), '/fields: no more than 10 items allowed'],
  [{ type: 'header', text: mrkdwn('x') }, '/text/type: must be plain_text'],
  [{ type: 'context', elements: [] }, '/elements: must provide at least 1 items'],
  [{ type: 'context', elements: [button()] }, `/elements/0/type: unsupported type: button ${UNKNOWN}`],
  [
    actions(button({ action_id: 'a' }), button({ action_id: 'a' })),
    '/elements/1/action_id: `action_id` "a" already exists among the elements',
  ],
  [actions(button({ style: 'default' })), '/elements/0/style: must be one of: primary, danger'],
  [
    rich({ type: 'rich_text_section', elements: [{ type: 'link', url: 'ftp://example.com' }] }),
    '/elements/0/elements/0/url: must be a valid URL that starts with https: or http:',
  ],
]

const INPUTS: Refused[] = [
  [{ type: 'plain_text_input', max_length: 1.5 }, '/max_length: must provide an integer'],
  [{ type: 'file_input', max_files: 11 }, '/max_files: must be less than or equal to 10'],
  [
    { type: 'plain_text_input', initial_value: 'a\u0000b' },
    '/initial_value: must not contain control characters',
  ],
  [select({ options: options(101) }), '/options: no more than 100 items allowed'],
  [select({ options: [option('A', '')] }), '/options/0/value: must be more than 0 characters'],
  [select({ initial_option: option('B', 'b') }), '/initial_option: must be one of the provided options'],
  [
    { type: 'multi_external_select', initial_options: options(2), max_selected_items: 1 },
    '/initial_options: no more than 1 items allowed',
  ],
  [
    { type: 'number_input', is_decimal_allowed: false, initial_value: '1.5' },
    '/initial_value: must be a whole number if is_decimal_allowed is false',
  ],
  [
    { type: 'number_input', is_decimal_allowed: false, initial_value: '1', min_value: '2' },
    '/initial_value: must be greater than or equal to min_value',
  ],
]

const VIEWS: Refused[] = [
  ['{', '/: must provide an object'],
  [{ type: 'home', blocks: [] }, '/type: unsupported type: home'],
  [modal({ title: plain(repeatX(25)) }), '/title/text: must be less than 25 characters'],
  [modal({ private_metadata: repeatX(3001) }), '/private_metadata: must be less than 3001 characters'],
  [modal({ blocks: times(101, () => ({ type: 'divider' })) }), '/blocks: no more than 100 items allowed'],
  [
    { type: 'modal', title: plain('T'), blocks: [{ type: 'divider' }, input({ type: 'plain_text_input' })] },
    '/blocks/1/input: must define `submit` to use an `input` block in modals',
  ],
  [
    modal({ blocks: [section({ text: mrkdwn('R&D') })] }),
    "/blocks/0/text/text: must escape &, <, and > as &amp;, &lt;, and &gt; where they aren't markup",
  ],
  [
    modal({ blocks: [section({ text: mrkdwn('lone surrogate \ud83d') })] }),
    '/blocks/0/text/text: must not contain control characters',
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
    world = await startWorld()
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

  it.each(byError(INPUTS))('is refused as an input: $error', ({ error, invalid }) =>
    expectRefusal('views.open', inForm(invalid), '/view/blocks/0/element', error),
  )

  it.each(byError(VIEWS))('is refused as a view: $error', ({ error, invalid }) =>
    expectRefusal('views.open', inView(invalid), '/view', error),
  )
})
