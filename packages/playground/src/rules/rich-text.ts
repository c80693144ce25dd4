import {
  address,
  among,
  anything,
  fields,
  flag,
  type Kind,
  kind,
  list,
  type Type,
  text,
  whole,
} from './rule.ts'

const source = 'block-kit/blocks/rich-text-block'
const style = kind('rich text style')
const styled: Record<string, Type> = { 'type!': anything, style }
const border = whole(0, 1)
const BOLD = { style: { bold: true } }

/** The kinds that stand in a line of rich text. */
const PARTS = [
  'text part',
  'link part',
  'emoji part',
  'user part',
  'usergroup part',
  'team part',
  'channel part',
  'broadcast part',
  'color part',
  'date part',
]

function part(name: string, shape: Record<string, Type>, example: Kind['example']): Kind {
  return {
    name: `${name} part`,
    family: 'rich text',
    type: name,
    fields: fields({ ...styled, ...shape }),
    source,
    example: { type: name, ...example, ...BOLD },
  }
}

const line = list(kind(...PARTS), 1000, 0)
const SAID = { type: 'text', text: 'said' }
const UNSAID = 'How many parts it may have is not said.'

/** Rich text: what the composer of Slack's client writes. */
export const RICH_TEXT: readonly Kind[] = [
  part('text', { 'text!': text(40_000) }, { text: 'said' }),
  part(
    'link',
    { 'url!': address('https', 'http', 'mailto', 'slack', 'tel'), text: text(40_000, 0), unsafe: flag },
    { url: 'https://example.com', text: 'there', unsafe: false },
  ),
  part(
    'emoji',
    { 'name!': text(255), unicode: text(255), skin_tone: whole(1, 6), url: address('https') },
    { name: 'wave', unicode: '1f44b', skin_tone: 2, url: 'https://example.com/wave.png' },
  ),
  part('user', { 'user_id!': text(50) }, { user_id: 'U0MEMBER01' }),
  part('usergroup', { 'usergroup_id!': text(50) }, { usergroup_id: 'S0ONCALL01' }),
  part('team', { 'team_id!': text(50) }, { team_id: 'T0PLAYGRND' }),
  part('channel', { 'channel_id!': text(50) }, { channel_id: 'C0GENERAL1' }),
  part('broadcast', { 'range!': among('here', 'channel', 'everyone') }, { range: 'here' }),
  part('color', { 'value!': text(20) }, { value: '#1d3a5f' }),
  part(
    'date',
    {
      'timestamp!': whole(0, Number.MAX_SAFE_INTEGER),
      'format!': text(255),
      url: address('https', 'http'),
      fallback: text(255),
    },
    { timestamp: 1_795_000_000, format: '{date_short}', url: 'https://example.com', fallback: '20 Nov' },
  ),
  {
    name: 'rich text style',
    family: 'rich text',
    fields: fields({
      bold: flag,
      italic: flag,
      strike: flag,
      code: flag,
      underline: flag,
      highlight: flag,
      client_highlight: flag,
      unlink: flag,
    }),
    source,
    unsettled: 'Which part takes which style is said in two ways; all are taken everywhere.',
    example: {
      bold: true,
      italic: true,
      strike: true,
      code: true,
      underline: true,
      highlight: true,
      client_highlight: true,
      unlink: true,
    },
  },
  {
    name: 'rich text section',
    family: 'rich text',
    type: 'rich_text_section',
    fields: fields({ 'type!': anything, 'elements!': line }),
    source,
    unsettled: UNSAID,
    example: { type: 'rich_text_section', elements: [SAID] },
  },
  {
    name: 'rich text list',
    family: 'rich text',
    type: 'rich_text_list',
    fields: fields({
      'type!': anything,
      'style!': among('bullet', 'ordered'),
      'elements!': list(kind('rich text section'), 1000),
      indent: whole(0, 8),
      offset: whole(0, 100_000),
      border,
    }),
    source,
    unsettled: UNSAID,
    example: {
      type: 'rich_text_list',
      style: 'ordered',
      elements: [{ type: 'rich_text_section', elements: [SAID] }],
      indent: 1,
      offset: 2,
      border: 0,
    },
  },
  {
    name: 'rich text quote',
    family: 'rich text',
    type: 'rich_text_quote',
    fields: fields({ 'type!': anything, 'elements!': line, border }),
    source,
    unsettled: UNSAID,
    example: { type: 'rich_text_quote', elements: [SAID], border: 1 },
  },
  {
    name: 'rich text preformatted',
    family: 'rich text',
    type: 'rich_text_preformatted',
    fields: fields({
      'type!': anything,
      'elements!': list(kind('text part', 'link part'), 1000, 0),
      border,
      language: text(50),
    }),
    source,
    unsettled: UNSAID,
    example: { type: 'rich_text_preformatted', elements: [SAID], border: 0, language: 'json' },
  },
]
