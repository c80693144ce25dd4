import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Form, Verb } from '../src/bot/routes/routes.ts'
import { type AppRoutes, loadAppRoutes } from './app-routes.ts'
import { generateReferencePages } from './reference-pages.ts'

const ROOT = join(import.meta.dirname, '..')
const FEATURES = 'src/features'

export const PAGE = join(ROOT, 'docs/commands.md')

interface Source {
  file: string
  text: string
}

/** What only files of one kind contain. */
const MARKS = { commands: ': VerbDeclaration', forms: ' = form' } as const

/** Reads the features' files that declare verbs or forms. */
function readSources(kind: keyof typeof MARKS): Source[] {
  return readdirSync(join(ROOT, FEATURES), { recursive: true, encoding: 'utf8' })
    .map((name) => `${FEATURES}/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
    .filter(({ text }) => text.includes(MARKS[kind]))
    .toSorted((left, right) => left.file.localeCompare(right.file))
}

/** Finds the file that registers something. Throws if no file matches, or more than one. */
function findFile(sources: readonly Source[], name: string, matches: (text: string) => boolean): string {
  const found = sources.filter(({ text }) => matches(text)).map(({ file }) => file)
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(`${name} must be registered in one file, but is in ${found.join(' and ') || 'none'}.`)
  return found[0]
}

/** Finds the file that adds a verb, which contains its name. If a loop adds it, the name is in quotes next to other verbs. */
export function findVerbFile(sources: readonly Source[], { command, verb }: Verb): string {
  const usagePattern = `(?<!, )\\bline:\\s+['\`]/(?:${command}|\\$\\{command\\})`
  const literal = new RegExp(usagePattern + (verb === '' ? "(?:['`]| [^a-z$])" : ` ${verb}(?![a-z-])`))
  // A comparison with the name isn't a list of verbs.
  const inList = `(?<![=!]== )'${verb}'`
  const inLoop = new RegExp(`${usagePattern}[^]*${inList}|${inList}[^]*${usagePattern}`)
  const pattern = sources.some(({ text }) => literal.test(text)) ? literal : inLoop
  return findFile(sources, `/${command} ${verb}`, (text) => pattern.test(text))
}

const findFormFile = (sources: readonly Source[], { id }: Pick<Form<never, never>, 'id'>): string =>
  findFile(sources, `The form ${id}`, (text) => text.includes(`'${id}'`))

const linkFile = (file: string): string => `[${file.slice(FEATURES.length + 1)}](../${file})`
const formatCode = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
const escapeMarkdown = (text: string): string => text.replaceAll('|', '\\|').replaceAll('*', '\\*')

function describeEffect({ declared: { opensModal, isAct } }: Verb): string {
  if (typeof isAct === 'function') return 'reads or changes, depending on its arguments'
  if (isAct) return 'changes'
  if (typeof opensModal === 'function') return 'previews, or opens a window'
  return opensModal ? 'opens a window' : 'reads'
}

const describeAudience = ({ needs, guests }: Pick<Verb, 'needs' | 'guests'>): string =>
  guests ? `${needs}, guests` : needs

const formatTable = (headers: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headers, headers.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** The page with every command, button, form, and message shortcut, and the file of its handler. Throws if one has no file. */
export function generateCommandsPage({ verbs, forms, shortcuts }: AppRoutes): string {
  const [commandFiles, formFiles] = [readSources('commands'), readSources('forms')]
  const formatRow = (verb: Verb): string[] => [
    formatCode(`/${verb.command}${verb.usage && ` ${verb.usage}`}`),
    escapeMarkdown(verb.description),
    describeAudience(verb),
    describeEffect(verb),
    linkFile(findVerbFile(commandFiles, verb)),
  ]
  const typedVerbs = verbs.filter(({ hidden }) => !hidden)
  const commands = [...new Set(typedVerbs.map(({ command }) => command))]
  const headers = ['command', 'what it does', 'role', 'effect', 'handler']
  return [
    '<!-- Written by npm run generate. -->',
    '# Commands, buttons, and forms',
    'This page lists every command, button, and form, with the file that handles it. A command with the effect “reads” changes nothing: at most, it shows a preview with a button. A command with the effect “changes” is stored before Slack is acknowledged, and then runs exactly once. For a command that opens a window, the form with the same name makes the change. `/hc help` explains the flags.',
    ...commands.flatMap((command) => [
      `## /${command}`,
      formatTable(headers, typedVerbs.filter((verb) => verb.command === command).map(formatRow)),
    ]),
    '## Buttons',
    formatTable(
      ['command of the button', ...headers.slice(1)],
      verbs.filter(({ hidden }) => hidden).map(formatRow),
    ),
    '## Forms',
    formatTable(
      ['command', 'ID', 'role', 'handler'],
      forms.map((form) => [
        formatCode(form.verb),
        formatCode(form.id),
        describeAudience(form),
        linkFile(findFormFile(formFiles, form)),
      ]),
    ),
    '## Message shortcuts',
    formatTable(
      ['ID', 'handler'],
      shortcuts.map(({ callbackId }) => [
        formatCode(callbackId),
        linkFile(findFile(commandFiles, callbackId, (text) => text.includes(`'${callbackId}'`))),
      ]),
    ),
    '',
  ].join('\n\n')
}

if (import.meta.main) {
  await writeFile(PAGE, `${generateCommandsPage(await loadAppRoutes()).trimEnd()}\n`)
  for (const [file, text] of await generateReferencePages()) await writeFile(file, text)
}
