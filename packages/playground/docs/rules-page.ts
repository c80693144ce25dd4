import { KINDS, UNSUPPORTED_BLOCKS } from '../src/rules/kinds.ts'
import { LIMITS } from '../src/rules/limits.ts'
import type { Field, Kind, ValueType } from '../src/rules/rule.ts'

const SLACK_DOCS = 'https://docs.slack.dev/'
const code = (text: string): string => `\`${text}\``
const formatRange = (min: number, max: number, unit: string): string =>
  min === 0 || min === 1 ? `at most ${max} ${unit}` : `${min} to ${max} ${unit}`
const formatLinks = (kinds: readonly string[]): string =>
  kinds.map((name) => `[${name}](#${name.replaceAll(' ', '-')})`).join(', ')

/** Describes the values that a field accepts. */
function describeType(valueType: ValueType): string {
  switch (valueType.type) {
    case 'text':
      return `text, ${formatRange(valueType.min, valueType.max, 'characters')}${valueType.min === 0 ? ', may be empty' : ''}`
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `whole number, ${valueType.min} to ${valueType.max}`
    case 'number':
      return valueType.above === undefined ? 'number' : `number above ${valueType.above}`
    case 'enum':
      return valueType.values.map(code).join(', ')
    case 'pattern':
      return valueType.expected
    case 'date':
      return 'date, `YYYY-MM-DD`'
    case 'url':
      return `URL (${valueType.schemes.join(', ')}), at most ${valueType.max} characters`
    case 'text object':
      return `${valueType.styles.map(code).join(' or ')}, at most ${valueType.max} characters`
    case 'list':
      return describeList(valueType)
    case 'kind':
      return formatLinks(valueType.kinds)
    case 'either':
      return valueType.of.map(describeType).join(' or ')
    case 'nullable':
      return `null or ${describeType(valueType.of)}`
    case 'any':
      return 'any value'
  }
}

function describeList({ min, max, of, distinct }: Extract<ValueType, { type: 'list' }>): string {
  const count = min === 0 ? `at most ${max}` : `${min} to ${max}`
  const unit = of.type === 'list' ? 'lists, each with' : 'of:'
  return `${count} ${unit} ${describeType(of)}${distinct ? ', without duplicates' : ''}`
}

function renderFieldRows({ type, fields }: Kind): string[] {
  return Object.entries(fields).map(([name, { type: accepted, required }]: [string, Field]) => {
    const ownType = name === 'type' && type !== undefined ? code(type) : undefined
    const values = ownType ?? (name === 'blocks' ? '[blocks](#blocks)' : describeType(accepted))
    return `| ${code(name)} | ${required ? 'yes' : ''} | ${values.replaceAll('|', '\\|')} |`
  })
}

function renderKind(kind: Kind): string {
  const { name, surfaces, crossFieldRules = [], source, readOn, openQuestion, allowsUnknownFields } = kind
  const facts = [
    surfaces && `Allowed in: ${surfaces.join(', ')}.`,
    ...crossFieldRules.map(({ description }) => `Rule: ${description}.`),
    allowsUnknownFields && 'Other fields are accepted too.',
    openQuestion && `Unclear in Slack’s docs: ${openQuestion}`,
    `Source: ${SLACK_DOCS}${source} (read ${readOn})`,
  ].filter((fact) => typeof fact === 'string')
  return [
    `### ${name}`,
    ['| field | required | accepts |', '| --- | --- | --- |', ...renderFieldRows(kind)].join('\n'),
    facts.map((fact) => `- ${fact}`).join('\n'),
  ].join('\n\n')
}

const TITLES: readonly [Kind['family'], string][] = [
  ['block', 'Blocks'],
  ['element', 'Elements'],
  ['object', 'Composition objects'],
  ['rich text', 'Rich text'],
  ['cell', 'Table cells'],
  ['chart', 'Charts'],
  ['view', 'Views'],
]

const INTRODUCTION = `# Block Kit rules

The playground validates blocks, messages, and views by these rules. It rejects a payload that breaks a rule with Slack's error code,
a message, and a JSON pointer to the problem.

Each rule names the page of Slack's reference that it comes from, and when that page was read. Slack enforces all of them. With \`--careful\`, the playground
also rejects mrkdwn in which \`&\`, \`<\`, or \`>\` is neither markup nor escaped. Slack accepts it and guesses the meaning.

The rules about the app's files, scopes, and domains apply to what an app sends to the playground. \`checkMessage\` and \`checkView\` don't know the
app, so they skip these rules.

\`node docs/write-rules.ts\` generates this page from the table in \`src/rules\`, which the validator uses too. To change a rule,
change the table.

## Limits for a whole message or view

${LIMITS.map(({ description, source, readOn }) => `- ${description} Source: ${source} (read ${readOn})`).join('\n')}

## Unsupported blocks

The playground rejects these blocks, although they are in Slack's reference (https://docs.slack.dev/reference/block-kit/blocks, read 2026-11):

${Object.values(UNSUPPORTED_BLOCKS)
  .map((reason) => `- ${reason}.`)
  .join('\n')}`

/** Renders docs/rules.md. */
export function renderRulesPage(): string {
  const kinds = [...KINDS.values()]
  const sections = TITLES.map(([family, title]) =>
    [`## ${title}`, ...kinds.filter((kind) => kind.family === family).map(renderKind)].join('\n\n'),
  )
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}
