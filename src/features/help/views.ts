import {
  card,
  clip,
  commandButton,
  commandMenu,
  type Line,
  type Message,
  oneLine,
  textElement,
} from '@signalman/slack'
import type { Membership } from '../../bot/access/actor.ts'
import { flagType, isRepeatable, typedFlags } from '../../bot/grammar/flags.ts'
import { writeUsage } from '../../bot/grammar/usage.ts'
import type { Verb } from '../../bot/routes/routes.ts'
import { cmd } from '../../domain/command-names.ts'
import { pluralize } from '../../domain/wording.ts'

/** A line as people type it with what it's for, and the verb that reads it. */
export interface HelpTask {
  note: Line
  verb: Verb
}

interface HelpOptions {
  /** What was asked about and isn’t a command. Empty if nothing was. */
  unknown: string
  commands: readonly string[]
  membership: Membership
  /** Those of the command. */
  verbs: readonly Verb[]
  tasks: readonly HelpTask[]
  /** Whether the person can use the verb. Other verbs aren't shown. */
  canUse: (verb: Verb) => boolean
}

const MAX_UNKNOWN = 80
const UNBROKEN = '\u00a0'

const codeLine = (line: string) => textElement(cmd(line), { code: true })

/** On a phone, a text that doesn't fit behind its command is below it, and isn't broken. */
export const taskNote = (line: string, text: string): Line => [
  codeLine(line),
  textElement(`  ${text.replaceAll(' ', UNBROKEN)}`),
]

/** Help for one command: those lines that this person can use. Each begins a line, so that none breaks behind its command. */
export function helpView(
  command: string,
  { unknown, commands, membership, verbs, tasks, canUse }: HelpOptions,
): Message {
  const visibleVerbs = verbs.filter(({ hidden }) => !hidden)
  const usableVerbs = visibleVerbs.filter(canUse)
  return card({
    headline: `What you can do with ${cmd(`/${command}`)}`,
    notes: [
      ...(unknown === '' ? [] : [`It has no command “${clip(oneLine(unknown), MAX_UNKNOWN)}”.`]),
      ...tasks.filter(({ verb }) => canUse(verb)).map(({ note }) => note),
    ],
    smallPrint: [
      ...hiddenNotes(visibleVerbs.length - usableVerbs.length, membership),
      ...(command === 'hc'
        ? [
            'The verb comes first, then the name, then flags. Put a name in "quotes" if it ends like a time or a status. * in a name matches anything. Times are in your time zone in Slack.',
          ]
        : []),
    ],
    controls: [
      ...(usableVerbs.some(({ verb }) => verb === 'down') ? [commandButton('What is down', '/hc down')] : []),
      commandMenu(
        'Command details…',
        usableVerbs.map((verb) => ({
          label: cmd(verb.line),
          value: `/${command} help ${verb.verb || command}`.trim(),
        })),
        { inPlace: false },
      ),
      ...commands
        .filter((other) => other !== command)
        .map((other) => commandButton(`Help for ${cmd(`/${other}`)}`, `/${other} help`)),
    ],
  })
}

/** Help for one verb, with a line for each flag. */
export function verbHelpView(verb: Verb, { canUse }: Pick<HelpOptions, 'canUse'>): Message {
  const { command, parameters = [], description, example, needs, verb: name } = verb
  const prefix = `/${command}`
  const formatLine = (text: string): string => `${prefix} ${text}`.trim()
  return card({
    headline: [cmd(formatLine(name)), `: ${description}`],
    notes: [
      codeLine(formatLine(`${name} ${writeUsage({ parameters })}`.trim())),
      ...flagLines(verb),
      ...(example === undefined ? [] : [['Example:\n', codeLine(formatLine(example))] as Line]),
      ...(canUse(verb)
        ? []
        : [`You need the ${needs} role for this. To see who can give it to you, type ${cmd('/hc access')}.`]),
    ],
    controls: [commandButton('All commands', `/${command} help`)],
  })
}

/** The flags that people type, with their values and descriptions. */
const flagLines = ({ flags }: Pick<Verb, 'flags'>): Line[] =>
  typedFlags(flags).map(([flag, { help, valueName, ...spec }]) => {
    const type = flagType(spec.type)
    const value = isRepeatable(type) ? type.listOf : type
    const shownValue = value === 'switch' ? '' : ` ${valueName || flag.toUpperCase()}`
    const parts = [
      help.replace(/\.$/, ''),
      ...(Array.isArray(value) ? [`one of ${value.join(', ')}`] : []),
      ...(isRepeatable(type) ? ['can be repeated'] : []),
    ]
    return [codeLine(`--${flag}${shownValue}`), `  ${parts.filter(Boolean).join('; ')}`]
  })

function hiddenNotes(hiddenCount: number, membership: Membership): string[] {
  if (hiddenCount === 0) return []
  if (membership === 'unknown') return ['Slack isn’t responding, so there may be more commands you can use.']
  const hidden = `Not shown: ${pluralize(hiddenCount, 'command')}`
  // No role allows guests to use these.
  if (membership === 'guest') return [`${hidden} for members.`]
  return [`${hidden} for roles that you don’t have. To see who can give you one, type ${cmd('/hc access')}.`]
}
