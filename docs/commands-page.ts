import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Form, Verb } from '../src/bot/routes/routes.ts'
import { referencePages } from './reference-pages.ts'
import { readShipped, type Shipped } from './shipped.ts'

const ROOT = join(import.meta.dirname, '..')
const FEATURES = 'src/features'

export const PAGE = join(ROOT, 'docs/commands.md')

interface Source {
  file: string
  text: string
}

/** The features' files of one kind: `commands.ts`, or those in a folder `commands/`. */
function readSources(kind: 'commands' | 'forms'): Source[] {
  return readdirSync(join(ROOT, FEATURES), { recursive: true, encoding: 'utf8' })
    .map((name) => `${FEATURES}/${name.replaceAll('\\', '/')}`)
    .filter((file) => new RegExp(`/${kind}(\\.ts|/[^/]+\\.ts)$`).test(file))
    .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
    .toSorted((one, other) => one.file.localeCompare(other.file))
}

/** The only file whose text contains the names of this registration. Throws if there is none, or more than one. */
function findFile(sources: readonly Source[], name: string, holds: (text: string) => boolean): string {
  const found = sources.filter(({ text }) => holds(text)).map(({ file }) => file)
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(`${name} is registered in ${found.join(' and ') || 'no file that was found'}.`)
  return found[0]
}

/** A verb's name is in the file that adds it. If a loop adds it, the name is in quotes beside other verbs of its command. */
export function fileOfVerb(sources: readonly Source[], { command, verb }: Verb): string {
  const begins = `typed:\\s+['\`]/(?:${command}|\\$\\{command\\})`
  const named = new RegExp(begins + (verb === '' ? "(?:['`]| [^a-z$])" : ` ${verb}(?![a-z-])`))
  const looped = new RegExp(`${begins}[^]*'${verb}'|'${verb}'[^]*${begins}`)
  const holds = sources.some(({ text }) => named.test(text)) ? named : looped
  return findFile(sources, `/${command} ${verb}`, (text) => holds.test(text))
}

const fileOfForm = (sources: readonly Source[], { id }: Pick<Form<never, never>, 'id'>): string =>
  findFile(sources, `The form ${id}`, (text) => text.includes(`'${id}'`))

const link = (file: string): string => `[${file.slice(FEATURES.length + 1)}](../${file})`
const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
const plain = (text: string): string => text.replaceAll('|', '\\|').replaceAll('*', '\\*')

function describeEffect({ opens, acts }: Verb): string {
  if (typeof acts === 'function') return 'reads or changes, depending on its arguments'
  if (acts) return 'changes'
  return opens ? 'opens a window' : 'reads'
}

const describeAudience = ({
  needs,
  changesSomething,
  isPersonal,
}: Pick<Verb, 'needs' | 'changesSomething' | 'isPersonal'>): string =>
  changesSomething || isPersonal ? `${needs}, no guests` : needs

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** Every command, button, form, and message shortcut, with the file of its handler. Throws if one has no file. */
export function commandsPage({ verbs, forms, shortcuts }: Shipped): string {
  const [commandFiles, formFiles] = [readSources('commands'), readSources('forms')]
  const formatRow = (verb: Verb): string[] => [
    code(`/${verb.command}${verb.usage && ` ${verb.usage}`}`),
    plain(verb.does),
    describeAudience(verb),
    describeEffect(verb),
    link(fileOfVerb(commandFiles, verb)),
  ]
  const typed = verbs.filter(({ hidden }) => !hidden)
  const commands = [...new Set(typed.map(({ command }) => command))]
  const heads = ['command', 'what it does', 'role', 'effect', 'handler']
  return [
    '<!-- Written by npm run commands. -->',
    '# Commands, buttons, and forms',
    'Every command, button, and form, and the file that handles it. *Reads* changes nothing. *Changes* is stored before Slack is acknowledged and then runs exactly once. For a command that opens a window, the form with the same name makes the change.',
    ...commands.flatMap((command) => [
      `## /${command}`,
      table(heads, typed.filter((verb) => verb.command === command).map(formatRow)),
    ]),
    '## Buttons',
    table(['command of the button', ...heads.slice(1)], verbs.filter(({ hidden }) => hidden).map(formatRow)),
    '## Forms',
    table(
      ['command', 'ID', 'role', 'handler'],
      forms.map((form) => [
        code(form.verb),
        code(form.id),
        describeAudience(form),
        link(fileOfForm(formFiles, form)),
      ]),
    ),
    '## Message shortcuts',
    table(
      ['ID', 'handler'],
      shortcuts.map(({ callbackId }) => [
        code(callbackId),
        link(findFile(commandFiles, callbackId, (text) => text.includes(`'${callbackId}'`))),
      ]),
    ),
    '',
  ].join('\n\n')
}

if (import.meta.main) {
  await writeFile(PAGE, `${commandsPage(await readShipped()).trimEnd()}\n`)
  for (const [file, text] of await referencePages()) await writeFile(file, text)
}
