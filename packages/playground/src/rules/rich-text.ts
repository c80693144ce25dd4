import { block, boolean, integer, type Kind, kind, list, object, text, url, type ValueType } from './rule.ts'

const STYLES = 'bold italic strike code'

/** The fields of inline rich text elements, by type. */
const INLINE_FIELDS: Readonly<Record<string, Record<string, ValueType>>> = {
  text: { 'text!': text(40_000) },
  link: { 'url!': url('https', 'http'), text: text(40_000, 0) },
  user: { 'user_id!': text(50) },
  usergroup: { 'usergroup_id!': text(50) },
  channel: { 'channel_id!': text(50) },
  date: {
    'timestamp!': integer(0, Number.MAX_SAFE_INTEGER),
    'format!': text(255),
    fallback: text(255),
  },
}

const inlineList = list(kind(...Object.keys(INLINE_FIELDS).map((type) => `${type} part`)), 1000, 0)

/** Defines an element that contains other elements: `rich_text_section`, `_quote`, or `_preformatted`. */
const nestedElement = (name: string, elements: ValueType): Kind =>
  object(`rich text ${name}`, { 'elements!': elements }, { type: `rich_text_${name}` })

/**
 * The rules for rich text blocks and their elements. Slack documents no maximum number of elements and parts, and its pages disagree
 * about which element allows which style. The playground allows all of them everywhere.
 */
export const RICH_TEXT: readonly Kind[] = [
  block('rich_text', {
    'elements!': list(kind('rich text section', 'rich text quote', 'rich text preformatted'), 1000, 0),
  }),
  ...Object.entries(INLINE_FIELDS).map(([type, shape]) =>
    object(`${type} part`, { ...shape, style: kind('rich text style') }, { type }),
  ),
  object('rich text style', Object.fromEntries(STYLES.split(' ').map((name) => [name, boolean]))),
  nestedElement('section', inlineList),
  nestedElement('quote', inlineList),
  nestedElement('preformatted', list(kind('text part', 'link part'), 1000, 0)),
]
