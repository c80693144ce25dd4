import {
  address,
  among,
  block,
  EVERYWHERE,
  flag,
  type Kind,
  kind,
  list,
  part,
  plain,
  type Surface,
  type Together,
  type Type,
  text,
  words,
} from './rule.ts'
import { someOf } from './together.ts'

const picture = kind('image element')
const apart: readonly Surface[] = ['message', 'home']
/** What can be inside another block, and what can also be on its own. */
const INSIDE = 'actions,context,divider,header,image,input,rich text,section,table,video'.split(',')
const ALONE =
  'alert,card,carousel,container,context actions,data table,data visualization,markdown,plan,task card'.split(
    ',',
  )

const collapsible: Together = {
  says: '`default_collapsed` needs `is_collapsible`',
  check({ default_collapsed, is_collapsible }, fault) {
    if (default_collapsed === true && is_collapsible !== true)
      fault('/default_collapsed', 'must be false where is_collapsible is not true')
  },
}

const TASK: Record<string, Type> = {
  'task_id!': text(255),
  'title!': text(3000),
  details: kind('rich text'),
  output: kind('rich text'),
  sources: list(kind('url source'), 100, 0),
  status: among('pending', 'in_progress', 'complete', 'error'),
}
const UNSAID = { unsettled: "The maximum length of a title and number of sources aren't documented." }

/** What was added to Block Kit since 2025: cards, containers, grids, and blocks that show an agent's work. */
export const NEWER_BLOCKS: readonly Kind[] = [
  block(
    'card',
    apart,
    {
      ...{ hero_image: picture, icon: picture, title: words(150), subtitle: words(150), body: words(200) },
      actions: list(kind('button'), 2),
    },
    {
      together: [someOf('title', 'hero_image', 'body', 'actions')],
      unsettled:
        'Slack lists modals too, but others saw it refused there. Slack may cut off buttons after the second instead of refusing them.',
    },
  ),
  block('carousel', apart, { 'elements!': list(kind('card'), 10) }, { unsettled: 'Same as for cards.' }),
  block(
    'container',
    apart,
    {
      ...{ title: plain(150), rich_text_title: kind('rich text'), subtitle: words(150), icon: picture },
      ...{ 'child_blocks!': list(kind(...INSIDE), 10), width: among('narrow', 'standard', 'wide', 'full') },
      ...{ is_collapsible: flag, default_collapsed: flag, has_header_divider: flag },
    },
    { together: [someOf('title', 'rich_text_title'), collapsible] },
  ),
  block(
    'layout',
    EVERYWHERE,
    {
      ...{ 'label!': text(150), is_label_visible: flag, grid_lines: among('none', 'rows', 'outer') },
      ...{ 'rows!': list(kind('layout row'), 5), fallback: list(kind(...INSIDE, ...ALONE), 100, 0) },
    },
    {
      unsettled:
        'How many blocks `fallback` may have, and of which types. The page shows `fallback`, as Slack’s older clients do.',
    },
  ),
  part(
    'layout row',
    'block-kit/blocks/layout-block',
    {},
    { isOpen: true, unsettled: "The items of a row aren't documented, so rows aren't validated." },
  ),
  block('task_card', ['message'], TASK, UNSAID),
  part(
    'task in a plan',
    'block-kit/blocks/plan-block',
    { type: among('task_card'), block_id: text(255), ...TASK },
    UNSAID,
  ),
  block(
    'plan',
    ['message'],
    {
      'title!': { is: 'either', of: [text(3000), plain(3000)] },
      tasks: list(kind('task in a plan'), 50, 0),
    },
    { unsettled: "The maximum number of tasks isn't documented." },
  ),
  block('video', EVERYWHERE, {
    ...{ 'video_url!': address('https'), 'thumbnail_url!': address('https', 'http') },
    ...{ 'alt_text!': text(2000), 'title!': plain(199), title_url: address('https'), author_name: text(49) },
    ...{ provider_name: text(255), provider_icon_url: address('https', 'http'), description: plain(199) },
  }),
]
