import {
  boolean,
  distinctList,
  type Kind,
  object,
  oneOfValues,
  plainText,
  text,
  textObject,
  type ValueType,
} from './rule.ts'

const buttonStyle = oneOfValues('primary', 'danger')
const escapedText: ValueType = { type: 'text', min: 1, max: 3000, escaped: true }
/** Slack's types allow values of up to 75 characters; its Python SDK and its responses allow 150. */
const optionFields = (textType: ValueType): Record<string, ValueType> => ({
  'text!': textType,
  'value!': text(150),
})

/** The rules for composition objects, such as text and options. */
export const OBJECTS: readonly Kind[] = [
  object('plain text', { 'text!': text(3000), emoji: boolean }, { type: 'plain_text' }),
  object('mrkdwn text', { 'text!': escapedText, verbatim: boolean }, { type: 'mrkdwn' }),
  // Slack's reference requires all four texts; its types require only `text`.
  object('confirmation', {
    'title!': plainText(100),
    'text!': textObject(300),
    'confirm!': plainText(30),
    'deny!': plainText(30),
    style: buttonStyle,
  }),
  object('menu option', optionFields(plainText(75))),
  object('box option', optionFields(textObject(75))),
  object('dispatch configuration', {
    trigger_actions_on: distinctList(oneOfValues('on_character_entered'), 1),
  }),
  object('conversation filter', {
    'include!': distinctList(oneOfValues('im', 'mpim', 'private', 'public'), 4),
  }),
]
