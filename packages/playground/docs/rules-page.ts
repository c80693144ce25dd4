import { AT_MOST, HOW_MANY, KINDS, MARKDOWN_CHARACTERS, NOT_SENT } from '../src/rules/kinds.ts'
import type { Field, Kind, Type } from '../src/rules/rule.ts'

const REFERENCE = 'https://docs.slack.dev/reference/'
const code = (text: string): string => `\`${text}\``
const between = (min: number, max: number, what: string): string =>
  min === 0 || min === 1 ? `at most ${max} ${what}` : `${min} to ${max} ${what}`
const linked = (kinds: readonly string[]): string =>
  kinds.map((name) => `[${name}](#${name.replaceAll(' ', '-')})`).join(', ')

/** What a field may hold, in words. */
function described(type: Type): string {
  switch (type.is) {
    case 'text':
      return `text, ${between(type.min, type.max, 'characters')}${type.min === 0 ? ', may be empty' : ''}`
    case 'flag':
      return 'true or false'
    case 'whole':
      return `whole number, ${type.min} to ${type.max}`
    case 'number':
      return type.above === undefined ? 'number' : `number above ${type.above}`
    case 'among':
      return type.values.map(code).join(', ')
    case 'pattern':
      return type.wanted
    case 'date':
      return 'a day, `YYYY-MM-DD`'
    case 'address':
      return `address (${type.schemes.join(', ')}), at most ${type.max} characters`
    case 'words':
      return `${type.styles.map(code).join(' or ')}, at most ${type.max} characters`
    case 'list':
      return `${type.min} to ${type.max} of: ${described(type.of)}${type.distinct ? ', no duplicates' : ''}`
    case 'kind':
      return linked(type.kinds)
    case 'either':
      return type.of.map(described).join(' or ')
    case 'null or':
      return `null or ${described(type.of)}`
    case 'any':
      return 'see below'
  }
}

function rows({ type, fields }: Kind): string[] {
  return Object.entries(fields).map(([name, { type: holds, required }]: [string, Field]) => {
    const what = name === 'type' && type !== undefined ? code(type) : described(holds)
    return `| ${code(name)} | ${required ? 'yes' : ''} | ${what.replaceAll('|', '\\|')} |`
  })
}

function section(kind: Kind): string {
  const { name, surfaces, together = [], source, unsettled, isOpen } = kind
  const facts = [
    surfaces && `Allowed in: ${surfaces.join(', ')}.`,
    ...together.map(({ says }) => `Constraint: ${says}.`),
    isOpen && 'Other fields are accepted too.',
    unsettled && `Unclear: ${unsettled}`,
    `Source: ${REFERENCE}${source}`,
  ].filter((fact) => typeof fact === 'string')
  return [
    `### ${name}`,
    ['| field | required | what it holds |', '| --- | --- | --- |', ...rows(kind)].join('\n'),
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

const counts = Object.entries(AT_MOST).map(([type, most]) => `${most} ${code(type)}`)

const INTRODUCTION = `# Block Kit rules

Generated from the table in \`src/rules\`, which the validator also uses. To change a rule, edit the table, then run
\`node docs/write-rules.ts\`. Last compared with Slack's reference in November 2026.

Input that breaks a rule is refused with Slack's error, an explanation, and a JSON pointer. Rules have a level. Level
\`slack\` is what Slack itself refuses, and always applies. Level \`careful\` refuses \`&\`, \`<\`, and \`>\` in mrkdwn that are
neither markup nor escaped, where Slack guesses. *Unclear* marks what Slack doesn't document, or documents inconsistently.

Limits across all blocks: at most ${HOW_MANY.message} in a message, ${HOW_MANY.modal} in a modal, and ${HOW_MANY.home} in a Home; no two with the same
\`block_id\`; one \`focus_on_load\`. A message can have at most ${counts.join(' and ')}, one table of either kind
(\`invalid_attachments\`, \`only_one_table_allowed\`), and ${MARKDOWN_CHARACTERS} characters in its markdown blocks.
${Object.values(NOT_SENT)
  .map((why) => `Not supported: ${why}.`)
  .join('\n')}`

/** docs/rules.md, whole. */
export function rulesPage(): string {
  const kinds = [...KINDS.values()]
  const parts = TITLES.map(([family, title]) =>
    [`## ${title}`, ...kinds.filter((one) => one.family === family).map(section)].join('\n\n'),
  )
  return `${[INTRODUCTION, ...parts].join('\n\n')}\n`
}
