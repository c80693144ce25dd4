import { atLeastOneOf } from './cross-field-rules.ts'
import {
  ALL_SURFACES,
  block,
  boolean,
  type CrossFieldRule,
  type Kind,
  kind,
  list,
  object,
  oneOfValues,
  plainText,
  type Surface,
  text,
  textObject,
  url,
  type ValueType,
} from './rule.ts'

const picture = kind('image element')
const MESSAGE_AND_HOME: readonly Surface[] = ['message', 'home']
/** The kinds of blocks that a container can contain. */
const CONTAINER_KINDS = 'actions,context,divider,header,image,input,rich text,section,table,video'.split(',')
/** All other kinds of blocks. */
const OTHER_KINDS =
  'alert,card,carousel,container,context actions,data table,data visualization,markdown,plan,task card'.split(
    ',',
  )

const collapsible: CrossFieldRule = {
  description: '`default_collapsed` requires `is_collapsible`',
  check({ default_collapsed, is_collapsible }, report) {
    if (default_collapsed === true && is_collapsible !== true)
      report('/default_collapsed', "must be false if is_collapsible isn't true")
  },
}

const TASK: Record<string, ValueType> = {
  'task_id!': text(255),
  'title!': text(3000),
  details: kind('rich text'),
  output: kind('rich text'),
  sources: list(kind('url source'), 100, 0),
  status: oneOfValues('pending', 'in_progress', 'complete', 'error'),
}
const UNDOCUMENTED_TASK = {
  openQuestion:
    "The maximum lengths of an ID and a title, and the maximum number of sources, aren't documented.",
}

const oneIcon: CrossFieldRule = {
  description: 'At most one of `icon` and `slack_icon`',
  check({ icon, slack_icon }, report) {
    if (icon !== undefined && slack_icon !== undefined)
      report('', 'only one of the following fields is allowed: icon, slack_icon')
  },
}

/** https://docs.slack.dev/reference/block-kit/composition-objects/slack-icon-object (November 2026) */
const SLACK_ICONS =
  'archive book bookmark bot bug calendar call caret-left caret-right check clipboard code comment compass copy cube download edit email eye-closed eye-open file flag folder gear globe heart help image info key lightbulb link map mobile new-window pin plus refine refresh rocket save screen share sparkle star star-filled tag thumbs-down thumbs-up trash upload user warning'.split(
    ' ',
  )

const EMBED_SCOPE = 'links.embed:write'

/** The errors are those in slackapi/bolt-js issue 1667 and incidentfox/incidentfox pull request 246 (read November 2026). */
const embeddable: CrossFieldRule = {
  description: `the app needs the scope \`${EMBED_SCOPE}\`, and \`video_url\` must be on one of its unfurl domains`,
  check({ video_url }, report, _surface, access) {
    if (!access || typeof video_url !== 'string') return
    if (!access.scopes.includes(EMBED_SCOPE))
      report('', `Video validation failed: Bot scopes missing: [${EMBED_SCOPE}]`)
    else if (!access.canUnfurl(video_url))
      report('', 'Video validation failed: Domain is not a valid unfurl domain claimed by your app')
  },
}

/** The rules for blocks added to Block Kit since 2025: cards, containers, layouts, and blocks for the progress of agents. */
export const NEWER_BLOCKS: readonly Kind[] = [
  block(
    'card',
    MESSAGE_AND_HOME,
    {
      hero_image: picture,
      icon: picture,
      slack_icon: kind('slack icon'),
      title: textObject(150),
      subtitle: textObject(150),
      body: textObject(200),
      subtext: textObject(3000),
      actions: list(kind('button'), 3),
    },
    {
      crossFieldRules: [atLeastOneOf('title', 'hero_image', 'body', 'actions'), oneIcon],
      openQuestion:
        'Slack lists modals too, but others report that it refuses cards there. The maximum length of `subtext` isn’t known here, so that of any text object applies.',
    },
  ),
  object(
    'slack icon',
    'reference/block-kit/composition-objects/slack-icon-object',
    { 'name!': oneOfValues(...SLACK_ICONS) },
    { type: 'icon' },
  ),
  block(
    'carousel',
    MESSAGE_AND_HOME,
    { 'elements!': list(kind('card'), 10) },
    { openQuestion: 'Same as for cards.' },
  ),
  block(
    'container',
    MESSAGE_AND_HOME,
    {
      title: plainText(150),
      rich_text_title: kind('rich text'),
      subtitle: textObject(150),
      icon: picture,
      'child_blocks!': list(kind(...CONTAINER_KINDS), 10),
      width: oneOfValues('narrow', 'standard', 'wide', 'full'),
      is_collapsible: boolean,
      default_collapsed: boolean,
      has_header_divider: boolean,
    },
    { crossFieldRules: [atLeastOneOf('title', 'rich_text_title'), collapsible] },
  ),
  block(
    'layout',
    ALL_SURFACES,
    {
      'label!': text(150),
      is_label_visible: boolean,
      grid_lines: oneOfValues('none', 'rows', 'outer'),
      'rows!': list(kind('layout row'), 5),
      fallback: list(kind(...CONTAINER_KINDS, ...OTHER_KINDS), 100, 0),
    },
    {
      openQuestion:
        'How many blocks `fallback` may have, and of which types, isn’t documented. The playground’s page shows `fallback`, as Slack’s older clients do.',
    },
  ),
  object(
    'layout row',
    'reference/block-kit/blocks/layout-block',
    {},
    {
      allowsUnknownFields: true,
      openQuestion: "The items of a row aren't documented, so rows aren't validated.",
    },
  ),
  block('task_card', ['message'], TASK, UNDOCUMENTED_TASK),
  object(
    'task in a plan',
    'reference/block-kit/blocks/plan-block',
    { type: oneOfValues('task_card'), block_id: text(255), ...TASK },
    UNDOCUMENTED_TASK,
  ),
  block(
    'plan',
    ['message'],
    {
      'title!': { type: 'either', of: [text(3000), plainText(3000)] },
      tasks: list(kind('task in a plan'), 50, 0),
    },
    { openQuestion: "The maximum number of tasks isn't documented." },
  ),
  block(
    'video',
    ALL_SURFACES,
    {
      'video_url!': url('https'),
      'thumbnail_url!': url('https', 'http'),
      'alt_text!': text(2000),
      'title!': plainText(199),
      title_url: url('https'),
      author_name: text(49),
      provider_name: text(255),
      provider_icon_url: url('https', 'http'),
      description: plainText(199),
    },
    { crossFieldRules: [embeddable] },
  ),
]
