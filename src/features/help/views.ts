import { card, commandButton, commandMenu, type Line, type Message, words } from '@signalman/slack'
import type { Standing } from '../../bot/access/actor.ts'
import { splitCommand } from '../../bot/routes/resolve-line.ts'
import { type Verb, verbName } from '../../bot/routes/routes.ts'
import { bareSpec, type FlagSpec, INTERNAL_FLAGS, isOfMany } from '../../bot/typed/command-line.ts'
import { cmd } from '../../domain/command-names.ts'
import { JOBS } from './rules/jobs.ts'

interface Options {
  commands: readonly string[]
  standing: Standing
  verbs: readonly Verb[]
  /** Whether the person may use the verb. Others aren't shown. */
  may: (verb: Verb) => boolean
}

/** Verbs whose help has an example, the best one first. Everybody may use the last one. */
const EXAMPLES = ['watch', 'list', 'find', 'help']
/** A usage that needs no arguments. */
const TYPEABLE = /^[a-z-]*(?: ?\[.*)?$/

const asTyped = (line: string) => words(cmd(line), { code: true })

/** What a person can do with one command, by task: one line each, with the most common commands that this person may type. */
export function helpView(command: string, { commands, standing, verbs, may }: Options): Message {
  const listed = verbs.filter((verb) => verb.command === command && !verb.hidden)
  const shown = listed.filter(may)
  const jobs = (JOBS[command] ?? []).flatMap(([title, ...lines]): Line[] => {
    const some = lines.filter((line) => verbs.some((verb) => belongsTo(verb, line) && may(verb)))
    return some.length === 0 ? [] : [jobLine(title, some)]
  })
  return card({
    answer: `What you can do with ${cmd(`/${command}`)}`,
    notes: jobs,
    small: [
      [
        'Details of one command: ',
        asTyped(`/${command} help ${EXAMPLES.find((one) => shown.some(({ verb }) => verb === one))}`),
      ],
      ...leftOutNotes(listed.length - shown.length, standing),
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
        .filter(({ verb, usage }) => verb === '' && TYPEABLE.test(usage))
        .map(() => commandButton(`Run ${cmd(`/${command}`)}`, `/${command}`)),
      ...commands
        .filter((other) => other !== command)
        .map((other) => commandButton(`Help for ${cmd(`/${other}`)}`, `/${other} help`)),
    ],
  })
}

const jobLine = (title: string, lines: readonly string[]): Line => [
  words(title, { bold: true }),
  ...lines.flatMap((line) => ['  ', asTyped(line)]),
]

/** Whether a line of the tasks is about this verb. */
function belongsTo({ command, verb }: Verb, line: string): boolean {
  const { command: named, text } = splitCommand(line)
  const [word = ''] = text.split(' ', 1)
  // `/threat` is followed by an ID instead of a verb.
  return command === named && verb === (/^[a-z]/.test(word) ? word : '')
}

/** Everything about one verb, with one line per flag. */
export function verbHelpView(verb: Verb, { may, verbs }: Pick<Options, 'may' | 'verbs'>): Message {
  const { command, usage, does, example, needs, verb: name } = verb
  const begins = `/${command}`
  const line = (behind: string): string => `${begins} ${behind}`.trim()
  const described = flagsOfVerb(verb).map(flagLine)
  const others = synonymsFor(verb, verbs)
  const isTypeable = TYPEABLE.test(usage) && verb.acts !== true
  return card({
    answer: [cmd(line(name)), `: ${does}`],
    notes: [
      asTyped(line(usage)),
      ...described,
      ...(example === undefined ? [] : [['Example: ', asTyped(line(example))] as Line]),
      ...(others.length > 0 ? [`Also: ${others.join(', ')}`] : []),
      ...(may(verb)
        ? []
        : [`You need the role ${needs} for this. To see who can give it to you, type ${cmd('/hc whoami')}.`]),
    ],
    controls: [
      ...(isTypeable && may(verb) ? [commandButton(`Run ${cmd(line(name))}`, verbName(verb))] : []),
      commandButton('All commands', `/${command} help`),
    ],
  })
}

/** Every synonym that runs this verb, wherever it was declared. */
const synonymsFor = ({ command, verb }: Verb, verbs: readonly Verb[]): string[] =>
  verbs
    .filter((other) => other.command === command)
    .flatMap(({ synonyms = {} }) => Object.entries(synonyms))
    .flatMap(([word, meant]) => (typeof meant === 'string' && meant.split(' ', 1)[0] === verb ? [word] : []))

/**
 * The flags that people type, with their values and meanings. Flags that only buttons use have neither a description nor a place
 * in the usage.
 */
const flagsOfVerb = ({ flags = {}, usage }: Pick<Verb, 'flags' | 'usage'>) =>
  Object.entries(flags).flatMap(([flag, spec]) => {
    const about = aboutFlag(spec)
    const [, behind = ''] =
      new RegExp(`--${flag}(?:[ =]("[^"]*"|[^\\] ]+?))?(?=[\\] ]|\\|--|$)`).exec(usage) ?? []
    const isForButtons = about === undefined || INTERNAL_FLAGS.has(flag)
    if (isForButtons && !usage.includes(`--${flag}`)) return []
    const takes = bareSpec(spec)
    const isMany = isOfMany(takes)
    const value = isMany ? takes.many : takes
    const values: readonly string[] = Array.isArray(value) ? value : []
    const shown = value === 'switch' ? '' : behind || flag.toUpperCase()
    return [{ flag, takes: shown, values, isMany, does: about ?? '' }]
  })

const aboutFlag = (spec: FlagSpec): string | undefined =>
  typeof spec === 'object' && 'about' in spec ? spec.about : undefined

function flagLine({ flag, takes, values, isMany, does }: ReturnType<typeof flagsOfVerb>[number]): Line {
  const says = [does, values.length > 0 && `one of ${values.join(', ')}`, isMany && 'can be repeated']
  const shown = says.filter((part) => typeof part === 'string' && part !== '').join('; ')
  return [asTyped(`--${flag} ${takes}`.trim()), shown === '' ? '' : `  ${shown.replaceAll('.; ', '; ')}`]
}

function leftOutNotes(left: number, standing: Standing): string[] {
  if (left === 0) return []
  // No role allows guests to use these.
  if (standing === 'guest')
    return [left === 1 ? '1 more isn’t available to guests.' : `${left} more aren’t available to guests.`]
  if (standing === 'unknown') return ['Slack isn’t responding, so there may be more commands you can use.']
  const what = left === 1 ? '1 more needs a role' : `${left} more need a role`
  return [`${what} that you don’t have. To see who can give it to you, type ${cmd('/hc whoami')}.`]
}
