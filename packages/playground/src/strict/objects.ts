import { isFields, listOf } from '../json.ts'
import type { Json } from '../protocol.ts'
import { escaped } from './escaped.ts'
import { address, all, among, byType, fault, flag, list, object, type Rule, text } from './rules.ts'

/** Composition objects: https://docs.slack.dev/reference/block-kit/composition-objects (November 2026). */
export const plainText = (max: number): Rule => {
  const shape = object({ 'type!': among('plain_text'), 'text!': text(max), emoji: flag })
  return (value, at, check) => {
    if (isFields(value) && value.type === 'mrkdwn') return fault(check, `${at}/type`, 'must be plain_text')
    shape(value, at, check)
  }
}

const mrkdwn = (max: number): Rule =>
  object({ 'type!': among('mrkdwn'), 'text!': all(text(max), escaped), verbatim: flag })

export const anyText = (max: number): Rule => byType({ plain_text: plainText(max), mrkdwn: mrkdwn(max) })

export const identifier = text(255)

export const confirm = object({
  'title!': plainText(100),
  'text!': anyText(300),
  'confirm!': plainText(30),
  'deny!': plainText(30),
  style: among('primary', 'danger'),
})

/** Radio buttons and checkboxes take mrkdwn and a description of it; menus take plain text. */
const optionShape = (label: Rule, description: Rule, url: boolean): Rule =>
  object({
    'text!': label,
    'value!': text(150),
    description,
    ...(url && { url: address('https', 'http', 'mailto') }),
  })

export const menuOption = optionShape(plainText(75), plainText(75), false)
export const overflowOption = optionShape(plainText(75), plainText(75), true)
export const boxOption = optionShape(anyText(75), anyText(75), false)

const optionGroup = object({ 'label!': plainText(75), 'options!': list(menuOption, 100) })

export const options = list(menuOption, 100)
export const optionGroups = list(optionGroup, 100)

/** Exactly one of the two fields. */
export const oneOf =
  (first: string, second: string): Rule =>
  (value, at, check) => {
    if (!isFields(value)) return
    const has = (name: string) => value[name] !== undefined
    if (has(first) === has(second))
      fault(
        check,
        at,
        `must define either \`${first}\` or \`${second}\`, not ${has(first) ? 'both' : 'neither'}`,
      )
  }

function same(a: Json, b: Json): boolean {
  return (
    isFields(a) && isFields(b) && a.value === b.value && JSON.stringify(a.text) === JSON.stringify(b.text)
  )
}

/** An initial option must be one of the options, label and all. */
export const initialAmongOptions: Rule = (value, at, check) => {
  if (!isFields(value)) return
  const offered = [
    ...listOf(value.options),
    ...listOf(value.option_groups).flatMap((group) => (isFields(group) ? listOf(group.options) : [])),
  ]
  const missing = (initial: Json) => !offered.some((option) => same(option, initial))
  if (value.initial_option !== undefined && missing(value.initial_option))
    fault(check, `${at}/initial_option`, 'must be one of the provided options')
  for (const [index, initial] of listOf(value.initial_options).entries())
    if (missing(initial))
      fault(check, `${at}/initial_options/${index}`, 'must be one of the provided options')
}

/** No two options with the same value. */
export const distinctValues =
  (field: string): Rule =>
  (value, at, check) => {
    if (!isFields(value)) return
    const seen = new Set<string>()
    for (const [index, option] of listOf(value[field]).entries()) {
      const key = isFields(option) ? String(option.value) : ''
      if (seen.has(key))
        fault(check, `${at}/${field}/${index}/value`, `\`value\` "${key}" already exists among the options`)
      seen.add(key)
    }
  }

export const dispatchConfig = object({
  trigger_actions_on: list(among('on_enter_pressed', 'on_character_entered'), 2),
})

export const conversationFilter = all(
  object({
    include: list(among('im', 'mpim', 'private', 'public'), 4),
    exclude_external_shared_channels: flag,
    exclude_bot_users: flag,
  }),
)

const slackFile = all(oneOf('id', 'url'), object({ id: text(255), url: address('https', 'http') }))

/** What every image has: where it is from, and its text for those who do not see it. */
export const imageShape = {
  image_url: address('https'),
  slack_file: slackFile,
  'alt_text!': text(2000),
}
