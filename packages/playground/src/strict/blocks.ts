import { isFields, listOf } from '../json.ts'
import type { Json } from '../protocol.ts'
import { chart } from './charts.ts'
import { elements } from './elements.ts'
import { anyText, identifier, imageShape, oneOf, plainText } from './objects.ts'
import { richTextShape } from './rich-text.ts'
import {
  all,
  among,
  anything,
  byType,
  type Check,
  fault,
  flag,
  list,
  object,
  type Rule,
  type Shape,
  type Surface,
  text,
} from './rules.ts'
import { dataTable, table } from './tables.ts'

/** Blocks: https://docs.slack.dev/reference/block-kit/blocks (November 2026). */
const base: Shape = { 'type!': anything, block_id: identifier }

const SELECTS = [
  'static_select',
  'external_select',
  'users_select',
  'conversations_select',
  'channels_select',
]
const MULTI = SELECTS.map((type) => `multi_${type}`)
const PICKERS = ['datepicker', 'timepicker', 'datetimepicker']
const BOXES = ['radio_buttons', 'checkboxes']
const TYPED = ['plain_text_input', 'email_text_input', 'url_text_input', 'number_input', 'rich_text_input']

const accessory = byType(
  elements('button', 'image', 'overflow', 'datepicker', 'timepicker', ...BOXES, ...SELECTS, ...MULTI),
)
const acting = byType(
  elements('button', 'overflow', 'rich_text_input', ...PICKERS, ...BOXES, ...SELECTS, ...MULTI),
)
const asking = byType(elements(...TYPED, 'file_input', ...PICKERS, ...BOXES, ...SELECTS, ...MULTI))

const sectionContent: Rule = (value, at, check) => {
  if (isFields(value) && value.text === undefined && value.fields === undefined)
    fault(check, at, 'missing required field: text')
}

/** Two elements of one block may not share an action_id. */
const distinctActions: Rule = (value, at, check) => {
  if (!isFields(value)) return
  const seen = new Set<string>()
  for (const [index, element] of listOf(value.elements).entries()) {
    const id = isFields(element) ? element.action_id : undefined
    if (typeof id !== 'string') continue
    if (seen.has(id))
      fault(check, `${at}/elements/${index}/action_id`, `\`action_id\` "${id}" already exists in this block`)
    seen.add(id)
  }
}

/** file_input is taken in modals only. */
const askedHere: Rule = (value, at, check) => {
  if (
    isFields(value) &&
    isFields(value.element) &&
    value.element.type === 'file_input' &&
    check.surface !== 'modal'
  )
    fault(check, `${at}/element/type`, 'unsupported type: file_input')
}

interface Kind {
  surfaces: readonly Surface[]
  rule: Rule
}
const everywhere: readonly Surface[] = ['message', 'modal', 'home']
const messages: readonly Surface[] = ['message']
const kind = (surfaces: readonly Surface[], shape: Shape, ...more: Rule[]): Kind => ({
  surfaces,
  rule: all(object({ ...base, ...shape }), ...more),
})

/** Block type → where it may stand, and its rule. */
const BLOCKS: Record<string, Kind> = {
  section: kind(
    everywhere,
    { text: anyText(3000), fields: list(anyText(2000), 10), accessory, expand: flag },
    sectionContent,
  ),
  header: kind(everywhere, { 'text!': plainText(150) }),
  divider: kind(everywhere, {}),
  context: kind(everywhere, {
    'elements!': list(
      byType({ ...elements('image'), plain_text: plainText(3000), mrkdwn: anyText(3000) }),
      10,
    ),
  }),
  actions: kind(everywhere, { 'elements!': list(acting, 25) }, distinctActions),
  image: kind(everywhere, { ...imageShape, title: plainText(2000) }, oneOf('image_url', 'slack_file')),
  input: kind(
    everywhere,
    {
      'label!': plainText(2000),
      'element!': asking,
      hint: plainText(2000),
      optional: flag,
      dispatch_action: flag,
    },
    askedHere,
  ),
  rich_text: kind(everywhere, richTextShape),
  context_actions: kind(
    messages,
    { 'elements!': list(byType(elements('feedback_buttons', 'icon_button')), 5) },
    distinctActions,
  ),
  markdown: kind(messages, { 'text!': text(12_000) }),
  table: { surfaces: messages, rule: table(base) },
  data_table: { surfaces: messages, rule: dataTable(base) },
  data_visualization: kind(messages, { 'title!': text(50), 'chart!': chart }),
  alert: kind(['modal'], {
    'text!': anyText(200),
    level: among('default', 'info', 'warning', 'error', 'success'),
  }),
}

/** At Slack, but nothing that this app may send: why. */
const REFUSED = new Map(
  Object.entries({
    video: 'video blocks need the scope links.embed:write and an allowed domain',
    card: 'the playground does not draw cards',
    carousel: 'the playground does not draw carousels',
    container: 'the playground does not draw containers',
    plan: 'the playground does not draw plans',
    task_card: 'the playground does not draw task cards',
    file: 'file blocks come from Slack; an app cannot post them',
  }),
)

const HOW_MANY: Record<Surface, number> = { message: 50, modal: 100, home: 100 }
/** Block types that a message may hold only so often. */
const AT_MOST: Record<string, number> = { table: 1, data_visualization: 2 }

const block: Rule = (value, at, check) => {
  if (!isFields(value)) return fault(check, at, 'must provide an object')
  if (value.type === undefined) return fault(check, at, 'missing required field: type')
  const type = String(value.type)
  const known = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined
  if (known?.surfaces.includes(check.surface)) return known.rule(value, at, check)
  const why = REFUSED.get(type)
  fault(check, `${at}/type`, `unsupported type: ${type}${why ? ` (${why})` : ''}`)
}

/** Where `focus_on_load` is set, block by block. */
function focused(value: Json, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => focused(each, `${at}/${index}`))
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'focus_on_load' ? (inner === true ? [`${at}/${name}`] : []) : focused(inner, `${at}/${name}`),
  )
}

/** Blocks as a whole: how many, each by its rule, no block_id twice, one focus, no more of a kind than Slack takes. */
export const blocks: Rule = (value, at, check) => {
  list(block, HOW_MANY[check.surface], 0)(value, at, check)
  for (const again of focused(value, at).slice(1))
    fault(check, again, 'only one element can have `focus_on_load` set to true')
  const seen = new Map<string, number>()
  const count = new Map<string, number>()
  for (const [index, each] of listOf(value).entries()) {
    if (!isFields(each)) continue
    noteId(each.block_id, index, seen, at, check)
    const type = String(each.type)
    count.set(type, (count.get(type) ?? 0) + 1)
    if ((count.get(type) ?? 0) > (AT_MOST[type] ?? Number.POSITIVE_INFINITY))
      fault(check, `${at}/${index}`, `no more than ${AT_MOST[type]} ${type} blocks allowed`)
  }
}

function noteId(id: unknown, index: number, seen: Map<string, number>, at: string, check: Check): void {
  if (typeof id !== 'string') return
  const before = seen.get(id)
  if (before !== undefined)
    fault(
      check,
      `${at}/${index}/block_id`,
      `\`block_id\` "${id}" already exists for the block at ${at}/${before}`,
    )
  seen.set(id, index)
}
