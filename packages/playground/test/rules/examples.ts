import type { Fields, Json } from '../../src/protocol/json.ts'
import { getKind } from '../../src/rules/kinds.ts'
import type { Kind, ValueType } from '../../src/rules/rule.ts'

const CHOICE = { text: { type: 'plain_text', text: 'One' }, value: '1' }
const HEADER_ROW = ['Name', 'Count'].map((text) => ({ type: 'raw_text', text }))

/** Values for fields that depend on other fields, by kind. Fields with `undefined` are omitted: they can't be combined with the others. */
const OVERRIDES: Readonly<Record<string, Readonly<Record<string, Json | undefined>>>> = {
  'image element': { slack_file: undefined },
  image: { slack_file: undefined },
  'slack file': { url: undefined },
  'static select': { options: [CHOICE], initial_option: CHOICE },
  checkboxes: { options: [CHOICE], initial_options: [CHOICE] },
  table: { rows: [HEADER_ROW, HEADER_ROW], column_settings: [{ align: 'right', is_wrapped: true }, null] },
  axes: { categories: ['label'] },
  modal: { blocks: [{ type: 'divider' }] },
  home: { blocks: [{ type: 'divider' }] },
}

/** Returns a value that the field accepts. Texts contain the field's name. */
function buildValue(name: string, valueType: ValueType): Json {
  switch (valueType.type) {
    case 'text':
      // Accessibility labels should contain the visible text.
      return name === 'accessibility_label' ? 'text, in full' : name.slice(0, valueType.max)
    case 'boolean':
      return true
    case 'integer':
      return valueType.min
    case 'number':
      return 1
    case 'enum':
      return valueType.values[0] ?? ''
    case 'pattern':
      return ['22:25', '1'].find((sample) => valueType.pattern.test(sample)) ?? ''
    case 'url':
      return `https://example.com/${name}`
    case 'text object':
      return { type: valueType.styles.at(-1) ?? '', text: name.slice(0, valueType.max) }
    case 'kind':
      // Slack's types accept only this style in all elements.
      if (name === 'style') return { bold: true }
      return buildExample(getKind(valueType.kinds[0] ?? ''))
    case 'list':
      return Array.from({ length: valueType.min || 1 }, () => buildValue(name, valueType.of))
    case 'either':
      return buildValue(name, valueType.of[0])
    case 'nullable':
      return buildValue(name, valueType.of)
    case 'any':
      return name
  }
}

/** Builds an object of the kind that Slack accepts, with as many fields as can be combined. */
export function buildExample({ name: kind, type, fields }: Kind): Fields {
  const overrides = OVERRIDES[kind] ?? {}
  const entries = Object.entries(fields).map(([name, field]): [string, Json | undefined] => {
    if (name === 'type' && type !== undefined) return [name, type]
    return [name, name in overrides ? overrides[name] : buildValue(name, field.type)]
  })
  // Removes undefined fields.
  return JSON.parse(JSON.stringify(Object.fromEntries(entries)))
}
