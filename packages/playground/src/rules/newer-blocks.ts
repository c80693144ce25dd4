import { block, everywhere, source } from './blocks.ts'
import {
  address,
  among,
  fields,
  flag,
  type Kind,
  kind,
  list,
  mark,
  plain,
  say,
  type Together,
  type Type,
  text,
  words,
} from './rule.ts'
import { someOf } from './together.ts'

const PICTURE = { type: 'image', image_url: 'https://example.com/a.png', alt_text: 'A picture' }
const RICH = { type: 'rich_text', elements: [] }
const CARD = {
  type: 'card',
  hero_image: PICTURE,
  icon: PICTURE,
  title: mark('*A card*'),
  subtitle: mark('of one kind'),
  body: mark('with a body'),
  actions: [{ type: 'button', action_id: 'a', text: say('Go') }],
}
const TASK = {
  type: 'task_card',
  task_id: 't1',
  title: 'Look it up',
  details: RICH,
  output: RICH,
  sources: [{ type: 'url', url: 'https://example.com', text: 'There' }],
  status: 'in_progress',
}

const collapsible: Together = {
  says: '`default_collapsed` needs `is_collapsible`',
  check({ default_collapsed, is_collapsible }, fault) {
    if (default_collapsed === true && is_collapsible !== true)
      fault('/default_collapsed', 'must be false where is_collapsible is not true')
  },
}

const TASK_FIELDS: Record<string, Type> = {
  'task_id!': text(255),
  'title!': text(3000),
  details: kind('rich text'),
  output: kind('rich text'),
  sources: list(kind('url source'), 100, 0),
  status: among('pending', 'in_progress', 'complete', 'error'),
}
const UNSAID = 'How long a title, and how many sources, is not said.'

/** What came to Block Kit since 2025: cards, containers, and what agents show of their work. */
export const NEWER_BLOCKS: readonly Kind[] = [
  {
    name: 'card',
    family: 'block',
    type: 'card',
    surfaces: ['message', 'home'],
    fields: fields({
      ...block,
      hero_image: kind('image element'),
      icon: kind('image element'),
      title: words(150),
      subtitle: words(150),
      body: words(200),
      actions: list(kind('button'), 2),
    }),
    together: [someOf('title', 'hero_image', 'body', 'actions')],
    source: source('card'),
    unsettled:
      'Slack lists modals too, where others saw it refused; more than two buttons may be cut off instead.',
    example: { ...CARD, block_id: 'b' },
  },
  {
    name: 'carousel',
    family: 'block',
    type: 'carousel',
    surfaces: ['message', 'home'],
    fields: fields({ ...block, 'elements!': list(kind('card'), 10) }),
    source: source('carousel'),
    unsettled: 'As for cards.',
    example: { type: 'carousel', block_id: 'b', elements: [CARD] },
  },
  {
    name: 'container',
    family: 'block',
    type: 'container',
    surfaces: ['message', 'home'],
    fields: fields({
      ...block,
      title: plain(150),
      rich_text_title: kind('rich text'),
      subtitle: words(150),
      'child_blocks!': list(
        kind(
          'actions',
          'context',
          'divider',
          'header',
          'image',
          'input',
          'rich text',
          'section',
          'table',
          'video',
        ),
        10,
      ),
      width: among('narrow', 'standard', 'wide', 'full'),
      icon: kind('image element'),
      is_collapsible: flag,
      default_collapsed: flag,
      has_header_divider: flag,
    }),
    together: [someOf('title', 'rich_text_title'), collapsible],
    source: source('container'),
    example: {
      type: 'container',
      block_id: 'b',
      title: say('Together'),
      rich_text_title: RICH,
      subtitle: mark('in one *box*'),
      child_blocks: [{ type: 'divider' }],
      width: 'wide',
      icon: PICTURE,
      is_collapsible: true,
      default_collapsed: true,
      has_header_divider: true,
    },
  },
  {
    name: 'task card',
    family: 'block',
    type: 'task_card',
    surfaces: ['message'],
    fields: fields({ ...block, ...TASK_FIELDS }),
    source: source('task-card'),
    unsettled: UNSAID,
    example: { ...TASK, block_id: 'b' },
  },
  {
    name: 'task in a plan',
    family: 'object',
    fields: fields({ type: among('task_card'), block_id: text(255), ...TASK_FIELDS }),
    source: source('plan'),
    unsettled: UNSAID,
    example: { ...TASK, block_id: 'b' },
  },
  {
    name: 'plan',
    family: 'block',
    type: 'plan',
    surfaces: ['message'],
    fields: fields({
      ...block,
      'title!': { is: 'either', of: [text(3000), plain(3000)] },
      tasks: list(kind('task in a plan'), 50, 0),
    }),
    source: source('plan'),
    unsettled: 'How many tasks it may have is not said.',
    example: { type: 'plan', block_id: 'b', title: 'What I do', tasks: [TASK] },
  },
  {
    name: 'video',
    family: 'block',
    type: 'video',
    surfaces: everywhere,
    fields: fields({
      ...block,
      'video_url!': address('https'),
      'thumbnail_url!': address('https', 'http'),
      'alt_text!': text(2000),
      'title!': plain(199),
      title_url: address('https'),
      author_name: text(49),
      provider_name: text(255),
      provider_icon_url: address('https', 'http'),
      description: plain(199),
    }),
    source: source('video'),
    example: {
      type: 'video',
      block_id: 'b',
      video_url: 'https://example.com/embed/1',
      thumbnail_url: 'https://example.com/1.png',
      alt_text: 'How it is done',
      title: say('How it is done'),
      title_url: 'https://example.com/1',
      author_name: 'Ann',
      provider_name: 'Example',
      provider_icon_url: 'https://example.com/icon.png',
      description: say('From start to end'),
    },
  },
]
