import {
  actions,
  commandButton,
  context,
  header,
  literal,
  type Message,
  message,
  paragraph,
  richText,
  section,
  words,
} from '@signalman/slack'
import type { Standing } from '../../bot/access/actor.ts'
import type { Verb } from '../../bot/routes/routes.ts'
import { isOfMany } from '../../bot/typed/command-line.ts'

interface Options {
  /** The prefix of this deployment's command names. */
  prefix: string
  /** The other commands. */
  others: readonly string[]
  standing: Standing
  /** Whether the person may use the verb; others are not shown. */
  may: (verb: Verb) => boolean
}

/** What can be typed after one command, from the route table; hidden verbs are left out. */
export function helpView(
  command: string,
  verbs: readonly Verb[],
  { prefix, others, standing, may }: Options,
): Message {
  const typed = `/${prefix}${command}`
  const listed = verbs.filter(({ hidden }) => !hidden)
  const shown = listed.filter(may)
  const groups = [
    { title: 'Answers at once', verbs: shown.filter(({ opens }) => !opens) },
    { title: 'Opens a window first', verbs: shown.filter(({ opens }) => opens) },
  ].filter((group) => group.verbs.length > 0)
  const example = exampleOf(shown)
  const notes = [
    ...(example === undefined ? [] : [`For example: ${line(typed, example)}`]),
    ...leftOutNotes(listed.length - shown.length, standing, prefix),
    'Words with spaces go in "quotes". A * in a name stands for anything. --env ote asks the OTE test environment.',
  ]
  return message(
    literal(
      [
        `What you can type behind ${typed}`,
        ...groups.flatMap((group) => [
          `${group.title}:`,
          // The values of flags are only in the blocks: the text must name every verb within Slack's limit.
          ...group.verbs.map((verb) => `${line(typed, verb.verb)} – ${verb.does}`),
        ]),
        ...notes,
      ].join('\n'),
    ),
    header(`What you can type behind ${typed}`),
    groups.flatMap((group) => [
      section(group.title),
      richText(...group.verbs.map((verb) => entry(typed, verb))),
    ]),
    notes.map((note) => context(note)),
    actions(
      ...shown.filter(({ verb }) => verb === '').map(() => commandButton(`Run ${typed}`, `/${command}`)),
      ...others.map((other) => commandButton(`Help for /${prefix}${other}`, `/${other} help`)),
    ),
  )
}

function leftOutNotes(left: number, standing: Standing, prefix: string): string[] {
  if (left === 0) return []
  // No role would allow these to a guest.
  if (standing === 'guest')
    return [left === 1 ? 'One more is not for guests.' : `${left} more are not for guests.`]
  if (standing === 'unknown') return ['There may be more, once Slack can be asked who you are.']
  const what = left === 1 ? 'One more needs a role' : `${left} more need a role`
  return [`${what} that you do not have. /${prefix}hc whoami says who can give it.`]
}

/** A usage as a person types it. */
const line = (typed: string, behind: string): string => `${typed} ${behind}`.trim()

/** What is typed, what it does, and the values of its flags. */
function lines(typed: string, verb: Verb): string[] {
  return [line(typed, verb.usage), verb.does, ...flagWords(verb)]
}

function entry(typed: string, verb: Verb) {
  const [usage = '', ...rest] = lines(typed, verb)
  return paragraph(words(usage, { code: true }), words(`\n${rest.join('\n')}\n`))
}

/** The values of those flags in the usage that have a closed list. */
function flagWords({ usage, flags = {} }: Verb): string[] {
  return Object.entries(flags).flatMap(([name, spec]) => {
    const value = isOfMany(spec) ? spec.many : spec
    if (typeof value === 'string' || !usage.includes(`--${name} `)) return []
    return [`--${name} takes ${value.join(', ')}`]
  })
}

/** The first example; else the first usage that can be typed as it is. */
function exampleOf(verbs: readonly Verb[]): string | undefined {
  const given = verbs.find(({ example }) => example !== undefined)?.example
  const typeable = verbs.map(({ usage }) => usage).filter((usage) => /^[a-z-]*$/.test(usage))
  return given ?? typeable.find(Boolean) ?? typeable[0]
}
