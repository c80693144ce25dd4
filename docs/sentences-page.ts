import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

const ROOT = join(import.meta.dirname, '..')

export const SENTENCES_PAGE = join(import.meta.dirname, 'dev/sentences.md')

/** Files of the durable package whose errors operators see on a terminal. */
const durableFiles = (folder: string, names: string): string[] =>
  names.split(' ').map((name) => `packages/durable/src/${folder}/${name}.ts`)

/** The sections of the page, each with its heading and the folders or files of its texts. */
const SCREENS: readonly (readonly [heading: string, ...paths: string[]])[] = [
  ['Health checks', 'src/features/health-checks'],
  ['Alerts', 'src/features/alerts'],
  ['Outage notifications', 'src/features/watching'],
  ['Threat events', 'src/features/threats'],
  ['Certificate orders', 'src/features/cert-orders'],
  ['Connection', 'src/features/connection'],
  ['Roles and access', 'src/features/access', 'src/bot/access', 'src/domain/roles.ts'],
  ['Audit log', 'src/features/audit', 'src/bot/audit', 'src/bot/retention'],
  ['Help', 'src/features/help'],
  ['App Home', 'src/features/home', 'src/bot/home'],
  ['Installation', 'src/bot/install'],
  ['Slackbot, workflows, and work objects', 'src/integrations'],
  [
    'Every command',
    ...'acts forms jobs pipeline posts request routes typed views windows workspaces'
      .split(' ')
      .map((folder) => `src/bot/${folder}`),
    'src/domain',
  ],
  ['Command line', 'src/cli'],
  ['Doctor', 'src/doctor'],
  ['Configuration', 'src/config.ts', 'src/config'],
  ['Encryption keys', ...durableFiles('secrets', 'keys keys-of-database rotate seal')],
  [
    'Database',
    ...durableFiles('database', 'migrate open-database postgres processes sqlite'),
    'packages/durable/src/backup.ts',
    'packages/durable/src/open-store.ts',
  ],
]

/** Files without texts for people: declarations of tables and jobs, and the code of stored rows. */
const EXCLUDED_FILES = /\/(?:tables|jobs)\.ts$|\/rows\//

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Sentence {
  readonly text: string
  readonly file: string
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const listChildren = (node: Node): Node[] =>
  Object.entries(node).flatMap(([key, value]) =>
    key === 'parent' ? [] : (Array.isArray(value) ? value : [value]).filter(isNode),
  )

/** Calls whose texts go to the log or the database, and parts of the source that contain no texts for people. */
const SKIPPED_CALL = /(?:^|\.)(?:log|sql|raw|where|match|replace|replaceAll|split|RegExp)$|^log\b|\blog\.\w+$/
const SKIPPED_NODE = /^(?:TS(?!As|Satisfies|NonNull)|ImportDeclaration|Export(?:All|Default)Specifier)/
const SKIPPED_KEY = /^(?:verb|object|usage|typed|line|example|type|id|kind|valueName|synonyms|column|key)$/

function isSkipped(node: Node, source: string): boolean {
  if (SKIPPED_NODE.test(node.type)) return true
  if (node.type === 'TaggedTemplateExpression') return true
  if (node.type === 'Property' && isNode(node.key))
    return SKIPPED_KEY.test(source.slice(node.key.start, node.key.end))
  return (
    (node.type === 'CallExpression' || node.type === 'NewExpression') &&
    isNode(node.callee) &&
    SKIPPED_CALL.test(source.slice(node.callee.start, node.callee.end))
  )
}

/**
 * Replaces an expression in a sentence: by the command itself, by `‹name›`, or by `‹…›` if it is longer. Braces would be attributes
 * in Markdown.
 */
function formatExpression(source: string): string {
  const [, line] = /^cmd\('([^']+)'\)$/.exec(source) ?? []
  if (line !== undefined) return line
  const [, name] = /^(?:[\w.]+\()?(?:[\w.]+\.)?(\w+)\)?$/.exec(source) ?? []
  return name === undefined ? '‹…›' : `‹${name}›`
}

function readText(node: Node, source: string): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral') return undefined
  const quasis = node.quasis as readonly { value: { cooked: string } }[]
  const expressions = node.expressions as readonly Node[]
  return quasis
    .map(({ value }, index) => {
      const expression = expressions[index]
      return (
        value.cooked + (expression ? formatExpression(source.slice(expression.start, expression.end)) : '')
      )
    })
    .join('')
}

/** Whether a text has more than one word, and isn't a command, an address, or SQL. */
const isSentence = (text: string): boolean =>
  /[a-z]{2}/.test(text) &&
  /\S \S/.test(text.replaceAll(/‹[^›]*›/g, '')) &&
  !/^\s*(?:\/[a-z]|https?:|pragma |select )/.test(text)

function readSentences(file: string): Sentence[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const found: Sentence[] = []
  const visit = (node: Node): void => {
    if (isSkipped(node, source)) return
    const text = readText(node, source)
    if (text !== undefined && isSentence(text)) found.push({ text: text.trim(), file })
    for (const child of listChildren(node)) visit(child)
  }
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return found
}

const listFiles = (path: string): string[] =>
  path.endsWith('.ts')
    ? [path]
    : readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
        .map((name) => `${path}/${name.replaceAll('\\', '/')}`)
        .filter((file) => file.endsWith('.ts') && !EXCLUDED_FILES.test(file))
        .toSorted()

/** Formats text as a list item: no Markdown, no HTML, on one line. */
const escapeMarkdown = (text: string): string =>
  text
    .replaceAll(/\s*\n\s*/g, ' ⏎ ')
    .replaceAll(/[\\`*_[\]<>|~#&{}]/g, (character) => `&#${character.codePointAt(0)};`)

function formatList(sentences: readonly Sentence[]): string {
  const byFile = Map.groupBy(sentences, ({ file }) => file)
  return [...byFile]
    .map(([file, fileSentences]) => {
      const texts = [...new Set(fileSentences.map(({ text }) => text))]
      return `[${file}](../${file})\n\n${texts.map((text) => `- ${escapeMarkdown(text)}`).join('\n')}`
    })
    .join('\n\n')
}

const isFullSentence = (text: string): boolean => text.length > 30 && /[.?!]$/.test(text)

function formatRepeated(all: readonly Sentence[]): string {
  const byText = Map.groupBy(all, ({ text }) => text)
  const repeated = [...byText].flatMap(([text, found]) => {
    const files = [...new Set(found.map(({ file }) => file))]
    return isFullSentence(text) && files.length > 1 ? [`- ${escapeMarkdown(text)} (${files.join(', ')})`] : []
  })
  return repeated.length === 0 ? 'None.' : repeated.join('\n')
}

export function generateSentencesPage(): string {
  const screens = SCREENS.map(([heading, ...paths]) => ({
    heading,
    sentences: paths
      .flatMap(listFiles)
      .filter((file) => heading !== 'Every command' || file !== 'src/domain/roles.ts')
      .flatMap(readSentences),
  }))
  return `${[
    // Left out of the site's search. Otherwise, the search would find this page for every word, instead of the page that explains it.
    '---\nsearch: false\n---',
    '<!-- Written by npm run generate. -->',
    '# Sentences',
    'Every text that Signalman shows to people, by screen, so that you can read all of them in one go. `npm run generate` collects the string literals of the sources. ‹…› stands for a value. Texts of one word, such as labels of buttons, are left out.',
    '## Repeated',
    'Sentences that more than one file contains. Each should be in only one place.',
    formatRepeated(screens.flatMap(({ sentences }) => sentences)),
    ...screens.flatMap(({ heading, sentences }) => [`## ${heading}`, formatList(sentences)]),
  ].join('\n\n')}\n`
}

if (import.meta.main) await writeFile(SENTENCES_PAGE, generateSentencesPage())
