import { card, commandButton, commandMenu, type Line, type Message, textElement } from '@signalman/slack'
import type { Standing } from '../../bot/access/actor.ts'
import { splitCommand } from '../../bot/routes/resolve-line.ts'
import { type Verb, verbName } from '../../bot/routes/routes.ts'
import { bareSpec, type FlagSpec, INTERNAL_FLAGS, isRepeatable } from '../../bot/typed/command-line.ts'
import { cmd } from '../../domain/command-names.ts'
import { TASKS } from './rules/tasks.ts'

interface HelpOptions {
  commands: readonly string[]
  standing: Standing
  verbs: readonly Verb[]
  /** Whether the person may use the verb. Others aren't shown. */
  may: (verb: Verb) => boolean
}

/** Verbs to suggest for help about one command, best first. Everyone can use the last one. */
const EXAMPLES = ['watch', 'list', 'find', 'help']
/** A usage that needs no arguments. */
const NO_ARGUMENTS = /^[a-z-]*(?: ?\[.*)?$/

const codeLine = (line: string) => textElement(cmd(line), { code: true })

/** Help for one command: a line for each task, with the most common commands that this person can use. */
export function helpView(command: string, { commands, standing, verbs, may }: HelpOptions): Message {
  const listed = verbs.filter((verb) => verb.command === command && !verb.hidden)
  const shown = listed.filter(may)
  const tasks = (TASKS[command] ?? []).flatMap(([title, ...lines]): Line[] => {
    const usable = lines.filter((line) => verbs.some((verb) => belongsTo(verb, line) && may(verb)))
    return usable.length === 0 ? [] : [taskLine(title, usable)]
  })
  return card({
    headline: `What you can do with ${cmd(`/${command}`)}`,
    notes: tasks,
    smallPrint: [
      [
        'Details of one command: ',
        codeLine(`/${command} help ${EXAMPLES.find((one) => shown.some(({ verb }) => verb === one))}`),
      ],
      ...hiddenNotes(listed.length - shown.length, standing),
      'Put names with spaces in "quotes". Use * in a name to match anything.',
    ],
    controls: [
      commandMenu(
        'Details of one command…',
        shown.map((verb) => ({
          label: cmd(verbName(verb)),
          value: `/${command} help ${verb.verb || command}`.trim(),
        })),
        { inPlace: false },
      ),
      ...shown
        .filter(({ verb, usage }) => verb === '' && NO_ARGUMENTS.test(usage))
        .map(() => commandButton(`Run ${cmd(`/${command}`)}`, `/${command}`)),
      ...commands
        .filter((other) => other !== command)
        .map((other) => commandButton(`Help for ${cmd(`/${other}`)}`, `/${other} help`)),
    ],
  })
}

const taskLine = (title: string, lines: readonly string[]): Line => [
  textElement(title, { bold: true }),
  ...lines.flatMap((line) => ['  ', codeLine(line)]),
]

/** Whether a task's line uses this verb. */
function belongsTo({ command, verb }: Verb, line: string): boolean {
  const { command: named, text } = splitCommand(line)
  const [word = ''] = text.split(' ', 1)
  // `/threat` is followed by an ID instead of a verb.
  return command === named && verb === (/^[a-z]/.test(word) ? word : '')
}

/** Help for one verb, with a line for each flag. */
export function verbHelpView(verb: Verb, { may, verbs }: Pick<HelpOptions, 'may' | 'verbs'>): Message {
  const { command, usage, does, example, needs, verb: name } = verb
  const prefix = `/${command}`
  const line = (rest: string): string => `${prefix} ${rest}`.trim()
  const flagLines = describeFlags(verb).map(flagLine)
  const others = synonymsFor(verb, verbs)
  const isRunnable = NO_ARGUMENTS.test(usage) && verb.acts !== true
  return card({
    headline: [cmd(line(name)), `: ${does}`],
    notes: [
      codeLine(line(usage)),
      ...flagLines,
      ...(example === undefined ? [] : [['Example: ', codeLine(line(example))] as Line]),
      ...(others.length > 0 ? [`Also: ${others.join(', ')}`] : []),
      ...(may(verb)
        ? []
        : [`You need the ${needs} role for this. To see who can give it to you, type ${cmd('/hc whoami')}.`]),
    ],
    controls: [
      ...(isRunnable && may(verb) ? [commandButton(`Run ${cmd(line(name))}`, verbName(verb))] : []),
      commandButton('All commands', `/${command} help`),
    ],
  })
}

/** Every synonym that runs this verb, wherever it was declared. */
const synonymsFor = ({ command, verb }: Verb, verbs: readonly Verb[]): string[] =>
  verbs
    .filter((other) => other.command === command)
    .flatMap(({ synonyms = {} }) => Object.entries(synonyms))
    .flatMap(([word, target]) =>
      typeof target === 'string' && target.split(' ', 1)[0] === verb ? [word] : [],
    )

/**
 * The flags that people type, with their values and descriptions. Flags that only buttons use have no description and aren't in
 * the usage.
 */
const describeFlags = ({ flags = {}, usage }: Pick<Verb, 'flags' | 'usage'>) =>
  Object.entries(flags).flatMap(([flag, spec]) => {
    const about = aboutFlag(spec)
    const [, placeholder = ''] =
      new RegExp(`--${flag}(?:[ =]("[^"]*"|[^\\] ]+?))?(?=[\\] ]|\\|--|$)`).exec(usage) ?? []
    const isForButtons = about === undefined || INTERNAL_FLAGS.has(flag)
    if (isForButtons && !usage.includes(`--${flag}`)) return []
    const takes = bareSpec(spec)
    const isMany = isRepeatable(takes)
    const value = isMany ? takes.listOf : takes
    const values: readonly string[] = Array.isArray(value) ? value : []
    const shown = value === 'switch' ? '' : placeholder || flag.toUpperCase()
    return [{ flag, takes: shown, values, isMany, does: about ?? '' }]
  })

const aboutFlag = (spec: FlagSpec): string | undefined =>
  typeof spec === 'object' && 'help' in spec ? spec.help : undefined

function flagLine({ flag, takes, values, isMany, does }: ReturnType<typeof describeFlags>[number]): Line {
  const parts = [does, values.length > 0 && `one of ${values.join(', ')}`, isMany && 'can be repeated']
  const shown = parts.filter((part) => typeof part === 'string' && part !== '').join('; ')
  return [codeLine(`--${flag} ${takes}`.trim()), shown === '' ? '' : `  ${shown.replaceAll('.; ', '; ')}`]
}

function hiddenNotes(hiddenCount: number, standing: Standing): string[] {
  if (hiddenCount === 0) return []
  // No role allows guests to use these.
  if (standing === 'guest')
    return [
      hiddenCount === 1
        ? '1 more isn’t available to guests.'
        : `${hiddenCount} more aren’t available to guests.`,
    ]
  if (standing === 'unknown') return ['Slack isn’t responding, so there may be more commands you can use.']
  const what = hiddenCount === 1 ? '1 more needs a role' : `${hiddenCount} more need a role`
  return [`${what} that you don’t have. To see who can give it to you, type ${cmd('/hc whoami')}.`]
}
