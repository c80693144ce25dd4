import type { Fields, Json } from '../../src/protocol/json.ts'
import { getKind } from '../../src/rules/kinds.ts'
import type { Kind, ValueType } from '../../src/rules/rule.ts'

const CHOICE = { text: { type: 'plain_text', text: 'One' }, value: '1' }

/** Values for fields that depend on other fields, by kind. */
const OVERRIDES: Readonly<Record<string, Fields>> = {
  'static select': { options: [CHOICE], initial_option: CHOICE },
  checkboxes: { options: [CHOICE], initial_options: [CHOICE] },
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
    case 'any':
      return name
  }
}

/** Builds an object of the kind that Slack accepts, with all of its fields. */
export function buildExample({ name: kind, type, fields }: Kind): Fields {
  const overrides = OVERRIDES[kind] ?? {}
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]): [string, Json] => {
      if (name === 'type' && type !== undefined) return [name, type]
      return [name, overrides[name] ?? buildValue(name, field.type)]
    }),
  )
}
