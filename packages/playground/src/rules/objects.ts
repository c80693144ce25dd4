import {
  address,
  among,
  anything,
  distinct,
  flag,
  type Kind,
  kind,
  list,
  part,
  plain,
  type Type,
  text,
  words,
} from './rule.ts'
import { oneOf, someOf } from './together.ts'

const source = (page: string): string => `block-kit/composition-objects/${page}-object`
const VALUE = {
  unsettled: "Slack's types allow values of up to 75 characters; its Python SDK and its responses allow 150.",
}
const styles = among('primary', 'danger')
const escaped: Type = { is: 'text', min: 1, max: 3000, escaped: true }
const optionOf = (words: Type): Record<string, Type> => ({
  'text!': words,
  'value!': text(150),
  description: words,
})

/** Composition objects. */
export const OBJECTS: readonly Kind[] = [
  part('plain text', source('text'), { 'text!': text(3000), emoji: flag }, { type: 'plain_text' }),
  part('mrkdwn text', source('text'), { 'text!': escaped, verbatim: flag }, { type: 'mrkdwn' }),
  part(
    'confirmation',
    source('confirmation-dialog'),
    {
      ...{ 'title!': plain(100), 'text!': words(300), 'confirm!': plain(30), 'deny!': plain(30) },
      style: styles,
    },
    { unsettled: "Slack's reference requires all four texts; its types require only `text`." },
  ),
  part('menu option', source('option'), optionOf(plain(75)), VALUE),
  part(
    'overflow option',
    source('option'),
    { ...optionOf(plain(75)), url: address('https', 'http', 'mailto') },
    VALUE,
  ),
  part('box option', source('option'), optionOf(words(75)), VALUE),
  part('option group', source('option-group'), {
    'label!': plain(75),
    'options!': list(kind('menu option'), 100),
  }),
  part('dispatch configuration', source('dispatch-action-configuration'), {
    trigger_actions_on: distinct(among('on_enter_pressed', 'on_character_entered'), 2),
  }),
  part(
    'conversation filter',
    source('conversation-filter'),
    {
      include: distinct(among('im', 'mpim', 'private', 'public'), 4),
      exclude_external_shared_channels: flag,
      exclude_bot_users: flag,
    },
    { together: [someOf('include', 'exclude_external_shared_channels', 'exclude_bot_users')] },
  ),
  part(
    'slack file',
    source('slack-file'),
    { id: text(255), url: address('https', 'http') },
    { together: [oneOf('id', 'url')] },
  ),
  part('workflow', source('workflow'), { 'trigger!': kind('trigger') }),
  part(
    'trigger',
    source('trigger'),
    { 'url!': address('https'), customizable_input_parameters: list(kind('input parameter'), 100) },
    { unsettled: "The maximum number of parameters isn't documented." },
  ),
  part('input parameter', source('trigger'), { 'name!': text(255), 'value!': anything }),
]
