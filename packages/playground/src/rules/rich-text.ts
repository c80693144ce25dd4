import {
  ALL_SURFACES,
  block,
  boolean,
  integer,
  type Kind,
  kind,
  list,
  object,
  oneOfValues,
  text,
  url,
  type ValueType,
} from './rule.ts'

const source = 'reference/block-kit/blocks/rich-text-block'
const STYLES = 'bold italic strike code underline highlight client_highlight unlink'

const richTextKind = (
  name: string,
  shape: Record<string, ValueType>,
  options: { type?: string } = {},
): Kind => object(name, source, shape, { family: 'rich text', ...options })

/** The fields of inline rich text elements, by type. */
const INLINE_FIELDS: Readonly<Record<string, Record<string, ValueType>>> = {
  text: { 'text!': text(40_000) },
  link: { 'url!': url('https', 'http', 'mailto', 'slack', 'tel'), text: text(40_000, 0), unsafe: boolean },
  emoji: { 'name!': text(255), unicode: text(255), skin_tone: integer(1, 6), url: url('https') },
  user: { 'user_id!': text(50) },
  usergroup: { 'usergroup_id!': text(50) },
  team: { 'team_id!': text(50) },
  channel: { 'channel_id!': text(50) },
  broadcast: { 'range!': oneOfValues('here', 'channel', 'everyone') },
  color: { 'value!': text(20) },
  date: {
    'timestamp!': integer(0, Number.MAX_SAFE_INTEGER),
    'format!': text(255),
    url: url('https', 'http'),
    fallback: text(255),
  },
}

const inlineList = list(kind(...Object.keys(INLINE_FIELDS).map((type) => `${type} part`)), 1000, 0)
const border = integer(0, 1)

/** Defines an element that contains other elements: `rich_text_section`, `_list`, `_quote`, or `_preformatted`. */
const nestedElement = (name: string, elements: ValueType, shape: Record<string, ValueType> = {}): Kind =>
  richTextKind(`rich text ${name}`, { 'elements!': elements, ...shape }, { type: `rich_text_${name}` })

/**
 * The rules for rich text blocks and their elements. Slack documents no maximum number of elements and parts, and its pages disagree
 * about which element allows which style. The playground allows all of them everywhere.
 */
export const RICH_TEXT: readonly Kind[] = [
  block('rich_text', ALL_SURFACES, {
    'elements!': list(
      kind('rich text section', 'rich text list', 'rich text quote', 'rich text preformatted'),
      1000,
      0,
    ),
  }),
  ...Object.entries(INLINE_FIELDS).map(([type, shape]) =>
    richTextKind(`${type} part`, { ...shape, style: kind('rich text style') }, { type }),
  ),
  richTextKind('rich text style', Object.fromEntries(STYLES.split(' ').map((name) => [name, boolean]))),
  nestedElement('section', inlineList),
  nestedElement('list', list(kind('rich text section'), 1000), {
    'style!': oneOfValues('bullet', 'ordered'),
    indent: integer(0, 8),
    offset: integer(0, 100_000),
    border,
  }),
  nestedElement('quote', inlineList, { border }),
  nestedElement('preformatted', list(kind('text part', 'link part'), 1000, 0), {
    border,
    language: text(50),
  }),
]
