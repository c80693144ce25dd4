import {
  address,
  among,
  anything,
  choice,
  distinct,
  fields,
  flag,
  type Kind,
  kind,
  list,
  mark,
  plain,
  say,
  text,
  words,
} from './rule.ts'
import { oneOf, someOf } from './together.ts'

const VALUE_NOTE =
  "Slack's types say that a value has at most 75 characters; its Python SDK and its own answers, 150."
const option = 'block-kit/composition-objects/option-object'
const escaped = (max: number) => ({ is: 'text', min: 1, max, escaped: true }) as const

/** Composition objects. */
export const OBJECTS: readonly Kind[] = [
  {
    name: 'plain text',
    family: 'object',
    type: 'plain_text',
    fields: fields({ 'type!': anything, 'text!': text(3000), emoji: flag }),
    source: 'block-kit/composition-objects/text-object',
    example: { ...say('Hello'), emoji: true },
  },
  {
    name: 'mrkdwn text',
    family: 'object',
    type: 'mrkdwn',
    fields: fields({ 'type!': anything, 'text!': escaped(3000), verbatim: flag }),
    source: 'block-kit/composition-objects/text-object',
    example: { ...mark('*Hello*'), verbatim: true },
  },
  {
    name: 'confirmation',
    family: 'object',
    fields: fields({
      'title!': plain(100),
      'text!': words(300),
      'confirm!': plain(30),
      'deny!': plain(30),
      style: among('primary', 'danger'),
    }),
    source: 'block-kit/composition-objects/confirmation-dialog-object',
    unsettled: "Slack's reference has all four texts as required; its types only `text`.",
    example: {
      title: say('Sure?'),
      text: mark('*Really?*'),
      confirm: say('Yes'),
      deny: say('No'),
      style: 'danger',
    },
  },
  {
    name: 'menu option',
    family: 'object',
    fields: fields({ 'text!': plain(75), 'value!': text(150), description: plain(75) }),
    source: option,
    unsettled: VALUE_NOTE,
    example: { text: say('One'), value: '1', description: say('The first') },
  },
  {
    name: 'overflow option',
    family: 'object',
    fields: fields({
      'text!': plain(75),
      'value!': text(150),
      description: plain(75),
      url: address('https', 'http', 'mailto'),
    }),
    source: option,
    unsettled: VALUE_NOTE,
    example: { text: say('One'), value: '1', description: say('The first'), url: 'https://example.com/1' },
  },
  {
    name: 'box option',
    family: 'object',
    fields: fields({ 'text!': words(75), 'value!': text(150), description: words(75) }),
    source: option,
    unsettled: VALUE_NOTE,
    example: { text: mark('*One*'), value: '1', description: mark('The _first_') },
  },
  {
    name: 'option group',
    family: 'object',
    fields: fields({ 'label!': plain(75), 'options!': list(kind('menu option'), 100) }),
    source: 'block-kit/composition-objects/option-group-object',
    example: { label: say('Numbers'), options: [choice('One', '1')] },
  },
  {
    name: 'dispatch configuration',
    family: 'object',
    fields: fields({
      trigger_actions_on: distinct(among('on_enter_pressed', 'on_character_entered'), 2),
    }),
    source: 'block-kit/composition-objects/dispatch-action-configuration-object',
    example: { trigger_actions_on: ['on_enter_pressed', 'on_character_entered'] },
  },
  {
    name: 'conversation filter',
    family: 'object',
    fields: fields({
      include: distinct(among('im', 'mpim', 'private', 'public'), 4),
      exclude_external_shared_channels: flag,
      exclude_bot_users: flag,
    }),
    together: [someOf('include', 'exclude_external_shared_channels', 'exclude_bot_users')],
    source: 'block-kit/composition-objects/conversation-filter-object',
    example: { include: ['public', 'im'], exclude_external_shared_channels: true, exclude_bot_users: true },
  },
  {
    name: 'slack file',
    family: 'object',
    fields: fields({ id: text(255), url: address('https', 'http') }),
    together: [oneOf('id', 'url')],
    source: 'block-kit/composition-objects/slack-file-object',
    example: { id: 'F0PICTURE1' },
  },
  {
    name: 'workflow',
    family: 'object',
    fields: fields({ 'trigger!': kind('trigger') }),
    source: 'block-kit/composition-objects/workflow-object',
    example: { trigger: { url: 'https://slack.com/shortcuts/Ft0TRIGGER/abc' } },
  },
  {
    name: 'trigger',
    family: 'object',
    fields: fields({
      'url!': address('https'),
      customizable_input_parameters: list(kind('input parameter'), 100),
    }),
    source: 'block-kit/composition-objects/trigger-object',
    unsettled: 'How many parameters a trigger may have is not said.',
    example: {
      url: 'https://slack.com/shortcuts/Ft0TRIGGER/abc',
      customizable_input_parameters: [{ name: 'who', value: 'U0MEMBER01' }],
    },
  },
  {
    name: 'input parameter',
    family: 'object',
    fields: fields({ 'name!': text(255), 'value!': anything }),
    source: 'block-kit/composition-objects/trigger-object',
    example: { name: 'who', value: 'U0MEMBER01' },
  },
]
