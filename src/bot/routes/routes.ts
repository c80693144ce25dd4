// This folder lists what people can type, press, and submit, and finds the command of a line.

import type { SuggestedCommand } from '@signalman/runtime'
import type { Answers, Choice, Message, ModalParts, PostedMessage } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts'
import type { NearCheck } from '../../domain/find-check.ts'
import type { Role } from '../../domain/roles.ts'
import type { GuestRule } from '../access/access.ts'
import type { FlagSpecs } from '../grammar/flags.ts'
import type { Parameter } from '../grammar/parameters.ts'
import { type Arguments, type PreparedRules, prepareRules } from '../grammar/read-words.ts'
import { writeUsage } from '../grammar/usage.ts'
import type { CommandContext, OpensModal } from './command-context.ts'

/** A window to open: its content and, for a form, the state that its submission needs besides the answers. */
export interface Modal extends ModalParts {
  formState?: unknown
  /** Sent as a message if it should fill a window that the person has closed, or that Slack no longer opens. */
  fallbackMessage?: Message
}

/** A command that a person can type, as a feature declares it. */
export interface VerbDeclaration extends GuestRule {
  /** As typed: `/hc list`; for a bare command, the command. */
  line: string
  description: string
  /** The role that is checked when the line is typed and again when a button runs it. */
  needs: Role
  /**
   * True if running the line (with these arguments) is an act: it changes something in the service, the store or, beyond its own answer, in
   * Slack, and runs once however often it is delivered. Showing something, storing a preview, or opening a window isn't an act.
   */
  isAct?: boolean | ((args: Omit<Arguments, 'lineFor'>) => boolean)
  flags?: FlagSpecs
  /** What can be typed without a flag, by kind. Without parameters, the verb takes no words. */
  parameters?: readonly Parameter[]
  /** Returns the answer or a window. A window must open quickly: after a moment a placeholder is shown. */
  run(context: CommandContext, args: Arguments): Promise<Message | Modal>
  /** True if the answer can be shared with the channel, by a button or `--share`. */
  shares?: true
  /** Throws UserError if the line can't be carried out where it was typed. Asked before it's offered. */
  requirePlace?(context: CommandContext, args: Pick<Arguments, 'flags'>): void
  /** For a verb that is only about what is down: what it didn't do if nothing is. */
  unlessDown?: string
  /** True if it's about no environment, so that `--env` is refused. */
  hasNoEnvironment?: true
  /** Called after the answer was posted in a channel. May be called again for the same message. */
  onShared?(
    context: CommandContext,
    args: Arguments,
    at: PostedMessage & { threadTs: string | undefined },
  ): Promise<void>
  /**
   * True if `run` opens a window (for these arguments), so it depends on Slack's trigger, which expires after 3 s. `to-read` for a
   * window without a form: if Slack opens none (for a mention, in a thread), its content is sent as a message.
   */
  opensModal?: OpensModal | ((args: Omit<Arguments, 'lineFor'>) => boolean)
  /** Returns another verb to run for these arguments, such as one that opens a window. Usually undefined. */
  redirect?: (args: Omit<Arguments, 'lineFor'>) => string | undefined
  /** A full line without the command, shown in the help. */
  example?: string
  /**
   * True for a verb that buttons use. Neither the help nor a suggestion names it. It can be typed, because an admin may have to
   * stop someone else's job: `/hc job-stop ID`.
   */
  hidden?: boolean
  /** What the audit log calls a hidden verb, before its object: `open the details of`. */
  label?: string
}

/** A command in the routing table. Whether a line of it is an act, and opens a window, depends on its arguments: see `Reading`. */
export interface Verb extends Omit<VerbDeclaration, 'isAct' | 'opensModal'> {
  command: string
  /** '' for the bare command. */
  verb: string
  /** How its words are read, with the flags that it has in common with others. */
  rules: PreparedRules
  /** What to type after the command: `show NAME|UUID`. Written from the parameters and flags. */
  usage: string
  /** Whether it can open a form, which leads to a change. */
  canOpenForm: boolean
  /** Whether any line of it is an act, or opens a form. */
  mayChange: boolean
  declared: VerbDeclaration
}

function createVerb(declared: VerbDeclaration): Verb {
  const { isAct = false, opensModal = 'to-read', ...rest } = declared
  const { line, parameters = [], flags } = rest
  const [, command = '', verb = ''] = /^\/([a-z-]+)(?: ([a-z][a-z-]*))?$/.exec(line) ?? []
  if (command === '') throw new Error(`“${line}” isn’t a command line.`)
  const usage = [verb, writeUsage(declared)].filter(Boolean).join(' ')
  const rules = prepareRules({ line, parameters, flags: { ...flags, ...commonFlags(declared) } })
  const canOpenForm = opensModal !== 'to-read'
  const mayChange = isAct !== false || canOpenForm
  return { ...rest, command, verb, usage, rules, canOpenForm, mayChange, declared }
}

/** Every verb accepts this flag. It overrides the channel's environment. */
const ENVIRONMENT_FLAG: FlagSpecs = { env: { type: ENVIRONMENTS, help: 'Environment' } }
const SHARE_FLAGS: FlagSpecs = {
  share: { type: 'switch', help: 'Post the answer in the channel' },
  // Answers the question whether to share it, also with another organization.
  yes: 'switch',
  // Answers it for guests: the channel may be shared with another organization since.
  guests: 'switch',
}

/** The flags that every verb accepts, or every verb of its kind. */
export const commonFlags = ({ shares }: VerbDeclaration): FlagSpecs => ({
  ...ENVIRONMENT_FLAG,
  ...(shares && SHARE_FLAGS),
})

/**
 * A form: how to parse its answers and what to do with them. `FormState` is the state that its window was opened with, and `Deps` are
 * the feature's dependencies.
 */
export interface Form<Values, FormState, Deps = void> {
  id: string
  /** The verb, as typed: `/hc edit`. */
  verb: string
  /** The role that is checked when it is submitted. */
  needs: Role
  /** The window's text while it works, such as `Saving the health check…`. */
  workingText: string
  /** Reads the answers without waiting: Slack shows field errors only in the acknowledgement. Throws FieldErrors. */
  read(answers: Answers): Values
  /** Fields that are empty when the form is shown again after an error. */
  secretFields?: readonly string[]
  /** False if submitting it is a read: it isn't stored, and must not change anything. */
  isAct?: false
  /** Returns the outcome, or the next window. Throws FieldErrors for errors that only the service can find. */
  submit(context: CommandContext, values: Values, formState: FormState, deps: Deps): Promise<Message | Modal>
  /** The options of a field whose menu searches while a person types. It only reads. */
  options?(
    context: CommandContext,
    field: string,
    typed: string,
    formState: FormState,
  ): Promise<readonly Choice[]>
  /** The form's blocks after an answer with `dispatch` changed: dependent fields appear or disappear. */
  updateBlocks?(
    answers: Answers,
    formState: FormState,
    environment: Environment,
  ): (KnownBlock | KnownBlock[])[]
}

/** An entry of the message menu, and its command line. */
export interface MessageShortcut {
  callbackId: string
  command: string
  /** The text after the command. Throws UserError if the message has nothing for the command. */
  textFor(message: Readonly<Record<string, unknown>>): Promise<string>
}

/** A subject of a command. The first one of a command is what the command itself is about. */
export interface Topic {
  command: string
  /** Words that are about it, wherever they're said: `approved`. */
  about: RegExp
  /** Words for the things that it has, which only say which command is meant: `certificate`. */
  things?: RegExp
  /** What people come for. Each line shows something or asks, and people see those that they may use. */
  buttons: readonly SuggestedCommand[]
  /** What the service says of it, and what it doesn’t. */
  knows?: string
  /** The text after the command, as it would be typed. */
  toCommandText?(text: string): string
  /** The IDs in a text that isn't a command, such as `can you look at ID?`. */
  parseIds?(text: string): string | undefined
}

export type RouteTable = ReturnType<typeof createRoutes>
/** Everything that features add to the routing table. */
export type Routes = Pick<RouteTable, 'verb' | 'form' | 'shortcut' | 'topic' | 'homeSection' | 'nearby'>

/** A part of App Home, built whenever the person opens it. Anything that waits for the person is `for you`. */
export interface HomeSection {
  group: 'set-up' | 'for you' | 'now' | 'settings' | 'help'
  /** The result may be empty. */
  section(context: CommandContext): Promise<KnownBlock[]>
}

/** What a person is probably about where they are. */
export interface Nearby {
  /** The message that the thread began with, as it is now. */
  readonly card?: Message
  /** The command that the card is of. */
  readonly command?: string
  /** The health checks that an act is about if it doesn't say which: those of the card, or else what is down. */
  readonly checks: readonly NearCheck[]
  readonly environment: Environment
  /** What can be done about it. */
  readonly buttons: readonly SuggestedCommand[]
}

/** Finds what the thread, if there is one, is about, or else what is down. Undefined if the feature knows nothing about it. */
export type FindNearby = (
  context: CommandContext,
  thread: PostedMessage | undefined,
) => Promise<Nearby | undefined>

/** The routing table: finds verbs and forms by name. Throws if two have the same name. */
export function createRoutes() {
  const commands = new Map<string, Map<string, Verb>>()
  const forms = new Map<string, Form<unknown, unknown>>()
  const shortcuts = new Map<string, MessageShortcut>()
  const sections: HomeSection[] = []
  const topics: Topic[] = []
  const finders: FindNearby[] = []

  return {
    verb(declared: VerbDeclaration): void {
      const verb = createVerb(declared)
      const verbs = commands.get(verb.command) ?? new Map<string, Verb>()
      if (verbs.has(verb.verb)) throw new Error(`/${verb.command} ${verb.verb} is declared twice.`)
      commands.set(verb.command, verbs.set(verb.verb, verb))
    },
    form<Values, FormState>(form: Form<Values, FormState>): void {
      if (forms.has(form.id)) throw new Error(`The form ${form.id} is declared twice.`)
      // The values come from this form's `read`, and `formState` from the modal that opened it, so the cast is safe.
      forms.set(form.id, form as unknown as Form<unknown, unknown>)
    },
    shortcut(shortcut: MessageShortcut): void {
      shortcuts.set(shortcut.callbackId, shortcut)
    },
    topic(topic: Topic): void {
      topics.push(topic)
    },
    topics: topics as readonly Topic[],
    /** The text after a command, as it would be typed. */
    toCommandText: (command: string, text: string): string =>
      topics.reduce(
        (typed, topic) => (topic.command === command && topic.toCommandText?.(typed)) || typed,
        text,
      ),
    /** Adds a section of App Home. The sections of a group appear in the order of these calls. */
    homeSection(section: HomeSection): void {
      sections.push(section)
    },
    nearby(find: FindNearby): void {
      finders.push(find)
    },
    get verbs(): readonly Verb[] {
      return [...commands.values()].flatMap((verbs) => [...verbs.values()])
    },
    get shortcuts(): readonly MessageShortcut[] {
      return [...shortcuts.values()]
    },
    get forms(): readonly Form<unknown, unknown>[] {
      return [...forms.values()]
    },
    commands: (): readonly string[] => [...commands.keys()],
    /** None for a command that there isn't. */
    findVerbs: (command: string): ReadonlyMap<string, Verb> => commands.get(command) ?? new Map(),
    findForm: (id: string): Form<unknown, unknown> | undefined => forms.get(id),
    findShortcut: (callbackId: string): MessageShortcut | undefined => shortcuts.get(callbackId),
    homeSections: sections as readonly HomeSection[],
    /** What waits for a person. Empty if nothing does. */
    async listWaiting(context: CommandContext): Promise<KnownBlock[]> {
      const forYou = sections.filter(({ group }) => group === 'for you')
      return (await Promise.all(forYou.map(({ section }) => section(context)))).flat()
    },
    /** What the person is probably about: the card of the thread, or else what is down. */
    async findNearby(context: CommandContext): Promise<Nearby> {
      const { channelId = '', threadTs: ts, environment } = context
      const thread = ts === undefined ? undefined : { channelId, ts }
      const found = await Promise.all(finders.map((find) => find(context, thread)))
      return (
        found.find((near) => near?.card) ??
        found.find((near) => near) ?? { checks: [], buttons: [], environment }
      )
    },
  }
}
