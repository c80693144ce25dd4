import type { AuditEvent } from '@signalman/durable'
import {
  type Answers,
  type Choice,
  divider,
  fitView,
  header,
  type Line,
  type Message,
  type ModalParts,
  type PostedMessage,
  type Upload,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { Role } from '../../domain/roles.ts'
import type { FlagSpecs } from '../grammar/flags.ts'
import type { Arguments } from '../grammar/read-words.ts'
import type { Kind, Slot } from '../grammar/slots.ts'
import { writeUsage } from '../grammar/usage.ts'
import type { AuditDetails, CommandContext } from './command-context.ts'

/** A window to open: its content and, for a form, the state that its submission needs besides the answers. */
export interface Modal extends ModalParts {
  formState?: unknown
}

/** A command that a person can type. `verb` is '' for the bare command. */
export interface Verb {
  command: string
  verb: string
  /** What to type after the command: `show NAME|UUID`. Written from the slots and flags. */
  usage: string
  /** One line, shown in the help. */
  description: string
  /** The role that is checked when the line is typed and again when a button runs it. */
  needs: Role
  /** True for a verb that changes something although viewers may use it. */
  changesSomething?: boolean
  /** True for a verb that may show personal data. Only members can use it. */
  isPersonal?: boolean
  /**
   * True if running the line is an act: it changes something in the service, the store or, beyond its own answer, in Slack,
   * and runs once however often it is delivered. Showing something or opening a window isn't an act.
   */
  isAct?: boolean | ((args: Arguments) => boolean)
  flags?: FlagSpecs
  /** What can be typed without a flag, by kind. Without slots, the verb takes no words. */
  slots?: readonly Slot[]
  /** Other words for the verb: `snooze`, `access grant`. The longest one counts. */
  also?: readonly string[]
  /** The verbs that take a kind of word which this one doesn't take: they are suggested with the same words. */
  elsewhere?: Readonly<Partial<Record<Kind, string>>>
  /** Returns the answer or a window. A window must open quickly: after a moment a placeholder is shown. */
  run(context: CommandContext, args: Arguments): Promise<Message | Modal>
  /**
   * The answer can be shared with the channel, by a button or `--share`. In a channel that is shared with another organization, a
   * `guarded` answer can be shared only if an admin has allowed it.
   */
  shares?: 'open' | 'guarded'
  /** Called after the answer was posted in a channel. May be called again for the same message. */
  onShared?(
    context: CommandContext,
    args: Arguments,
    at: PostedMessage & { threadTs: string | undefined },
  ): Promise<void>
  /** True if running the line again only shows the current state. Its answer is then redrawn when it is outdated. */
  redraws?: boolean
  /**
   * True if `run` opens a window, so it depends on Slack's trigger, which expires after 3 s. `to-read` for a window without
   * a form: if Slack opens none (for a mention, in a thread), its content is sent as a message.
   */
  opensModal?: boolean | 'to-read'
  /** Returns another verb to run for these arguments, such as one that opens a window. Usually undefined. */
  redirect?: (args: Arguments) => string | undefined
  /** A full line without the command, shown in the help. */
  example?: string
  /**
   * True for a verb that buttons use. Neither the help nor a suggestion names it. It can be typed, because an admin may have to
   * answer a question about someone else's job: `/hc job-undo ID`.
   */
  hidden?: boolean
}

/** The declaration of a verb by a feature. */
export interface VerbDeclaration extends Omit<Verb, 'command' | 'verb' | 'usage'> {
  /** The command and the verb: `/hc show`. */
  line: string
}

function createVerb({ line, ...declared }: VerbDeclaration): Verb {
  const [, command = '', verb = ''] = /^\/([a-z-]+)(?: ([a-z][a-z-]*))?$/.exec(line) ?? []
  if (command === '') throw new Error(`“${line}” isn’t a command line.`)
  return { ...declared, command, verb, usage: [verb, writeUsage(declared)].filter(Boolean).join(' ') }
}

/** The verb as typed: `/hc list`; for a bare command, the command. */
export const verbName = ({ command, verb }: Pick<Verb, 'command' | 'verb'>): string =>
  `/${command} ${verb}`.trim()

/** The part of the usage after the verb, without flags: `NAME|UUID`. Empty for a verb without arguments. */
export const argumentUsage = ({ slots = [] }: Pick<Verb, 'slots'>): string => writeUsage({ slots })

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
  changesSomething?: boolean
  /** The window's text while it works, such as `Saving the health check…`. */
  workingText: string
  /** Reads the answers without waiting: Slack shows field errors only in the acknowledgement. Throws FieldErrors. */
  read(answers: Answers): Values
  /** Fields that are empty when the form is shown again after an error. */
  secretFields?: readonly string[]
  /** True if submitting it is a read: it isn't stored, and must not change anything. */
  isReadOnly?: boolean
  /** Returns the outcome. Throws FieldErrors for errors that only the service can find. */
  submit(context: CommandContext, values: Values, formState: FormState, deps: Deps): Promise<Message>
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
  /** For a form with several pages: the window after a press of a `pageButton`. */
  turnPage?(context: CommandContext, formState: FormState, to: string, deps: Deps): Promise<Modal>
}

/** An entry of the message menu, and its command line. */
export interface MessageShortcut {
  callbackId: string
  command: string
  /** The text after the command. Throws UserError if the message has nothing for the command. */
  textFor(message: Readonly<Record<string, unknown>>): Promise<string>
}

/** How a feature handles a mention or DM that is an ID. */
export interface MentionRule {
  /** The command that such a mention runs. */
  command: string
  /** The text after the command, as it would be typed. */
  toCommandText(text: string): string
  /** The IDs in a text that isn't a command, such as `can you look at ID?`. */
  parseIds(text: string): string | undefined
  /** For a text typed in a thread: a function from the thread's first message to the line. Undefined if the text doesn't need it. */
  resolveInThread(typed: string): ((root: Readonly<Record<string, unknown>>) => Promise<string>) | undefined
}

/** A kind of job. Any process can run it, and continue it if the first one died. */
export interface JobKind<Details> {
  kind: string
  /** The verb for the audit log. */
  verb: string
  /** The role that the person must still have when the job runs. */
  needs: Role
  /** True if it changes nothing. */
  isReadOnly?: boolean
  /** True if the request that started it shows an error that ends it. Then no message is posted. */
  isQuiet?(details: Details): boolean
  /**
   * Returns the last message to the person. `isDone` is false if the job can be started again. `isQuiet` is true if the request that
   * started it shows how it ended.
   */
  run(run: JobRun<Details>): Promise<{ message: Message; isDone: boolean; isQuiet?: boolean }>
  /** The last message if an error ended the job: how far it got. By default, only the problem is shown. */
  describeError?(job: JobEndedByError<Details>, reason: string): Promise<Message>
  /** Finds the job's owner when it ends. If the job ran as someone else, the owner gets its last message too. */
  findOwner?(job: JobAtEnd<Details>): Promise<string>
}

export interface JobAtEnd<Details> {
  readonly id: string
  readonly details: Details
  readonly workspaceId: string
  readonly environment: Environment
  readonly now: Date
}

export type JobEndedByError<Details> = JobAtEnd<Details> & Pick<JobRun<Details>, 'leaseOwner' | 'auditEvent'>

export interface JobRun<Details> {
  readonly id: string
  /** Identifies this process as the holder of the job's lease. */
  readonly leaseOwner: string
  readonly details: Details
  readonly context: CommandContext
  /** Aborted if another process takes over the job. Nothing more may start then. */
  readonly signal: AbortSignal
  now(): Date
  /** Creates an audit entry in the name of the person who started the job. */
  auditEvent(details: AuditDetails, outcome: AuditEvent['outcome']): AuditEvent
  /** Checks again that the person may do this. Throws Refusal. */
  recheckAccess(): Promise<void>
  /** Whether someone has asked for it to stop. */
  isStopped(): boolean
  /** How long a step that another process began may still take, in milliseconds. */
  readonly settleMs: number
  /** Shows the progress in one message that is edited in place, at most every few seconds. */
  showProgress(message: Message): Promise<void>
  /** Uploads a file next to the progress message. Throws if Slack refuses it. */
  upload(file: Upload): Promise<void>
}

/** Builds App Home or a feature's section of it whenever the person opens it. The result may be empty. */
type Home = (context: CommandContext) => Promise<KnownBlock[]>

/** The groups of sections in App Home, in order, with their headings. Anything that waits for the person comes first, then what is
 * down, then what they hold. */
const HOME_GROUPS = {
  'set-up': '',
  'for you': 'For you',
  now: 'Now',
  yours: 'Yours',
  watched: 'Watched',
  'can do': 'What you can do',
  footer: 'Connection',
} as const

/** Something that a person owns and can hand over to someone else: a certificate order, a watch. */
export interface OwnedItem {
  /** Unique within its kind. */
  readonly id: string
  readonly environment: Environment
  /** Its name for people: `order 12 for shop.example.com`. */
  readonly name: Line
  /** Why it can't be handed over now, as a sentence. */
  readonly blockedReason?: string | undefined
}

/** The person who takes over. */
export interface NewOwner {
  readonly userId: string
  readonly name: string
}

/** A kind of item that people can hand over with `/hc handover`, declared by its feature. */
export interface HandOver {
  /** The word for one of them, and for several. */
  readonly singular: string
  readonly plural: string
  /** The role that the new owner needs. */
  needs(context: CommandContext): Promise<Role>
  /**
   * Everything of this kind that a person owns now, in every environment. Items that `newOwnerId` can't take over have a
   * `blockedReason`.
   */
  listOwned(context: CommandContext, userId: string, newOwnerId: string): Promise<readonly OwnedItem[]>
  /** Hands these items over, in audited steps. Returns the IDs of those that were handed over; the others no longer belonged to `from`. */
  transfer(
    context: CommandContext,
    items: readonly OwnedItem[],
    people: { readonly from: string; readonly to: NewOwner },
  ): Promise<readonly string[]>
  /** What the new owner should know about these items, one sentence each. */
  notes?(items: readonly OwnedItem[]): readonly string[]
}

export type RouteTable = ReturnType<typeof createRoutes>
/** Everything that features add to the routing table. */
export type Routes = Pick<
  RouteTable,
  'verb' | 'form' | 'shortcut' | 'mentionRule' | 'job' | 'homeSection' | 'handOver'
>

/** Every word or phrase that names a verb. Throws if one names two. */
function indexVerbs(command: string, verbs: Iterable<Verb>): ReadonlyMap<string, Verb> {
  const index = new Map<string, Verb>()
  for (const verb of verbs)
    for (const words of [verb.verb, ...(verb.also ?? [])]) {
      if (words === '') continue
      const other = index.get(words)
      if (!VERB_WORDS.test(words))
        throw new Error(`“${words}” of /${command} isn’t one to three lowercase words.`)
      if (other) throw new Error(`“${words}” names both ${verbName(other)} and ${verbName(verb)}.`)
      index.set(words, verb)
    }
  return index
}

const VERB_WORDS = /^[a-z'-]+(?: [a-z'-]+){0,2}$/

export interface HomeSection {
  group: keyof typeof HOME_GROUPS
  section: Home
}

/** Builds App Home. The sections load in parallel. */
async function buildHome(sections: readonly HomeSection[], context: CommandContext): Promise<KnownBlock[]> {
  const built = await Promise.all(
    sections.map(async ({ group, section }) => ({ group, blocks: await section(context) })),
  )
  const groups = Object.entries(HOME_GROUPS).map(([group, title]) => {
    const blocks = built.flatMap((section) => (section.group === group ? section.blocks : []))
    return title === '' || blocks.length === 0 ? blocks : [header(title), ...blocks]
  })
  const [firstGroup = [], ...otherGroups] = groups.filter((blocks) => blocks.length > 0)
  return fitView([...firstGroup, ...otherGroups.flatMap((blocks) => [divider(), ...blocks])])
}

/** The routing table: finds verbs and forms by name. Throws if two have the same name. */
export function createRoutes() {
  const commands = new Map<string, Map<string, Verb>>()
  const indexes = new Map<string, ReturnType<typeof indexVerbs>>()
  const forms = new Map<string, Form<unknown, unknown>>()
  const shortcuts = new Map<string, MessageShortcut>()
  const sections: HomeSection[] = []
  const mentionRules: MentionRule[] = []
  const jobs = new Map<string, JobKind<unknown>>()
  const handOvers: HandOver[] = []

  return {
    verb(declared: VerbDeclaration): void {
      const verb = createVerb(declared)
      const verbs = commands.get(verb.command) ?? new Map<string, Verb>()
      if (verbs.has(verb.verb)) throw new Error(`/${verb.command} ${verb.verb} is declared twice.`)
      commands.set(verb.command, verbs.set(verb.verb, verb))
      indexes.delete(verb.command)
    },
    form<Values, FormState>(form: Form<Values, FormState>): void {
      if (forms.has(form.id)) throw new Error(`The form ${form.id} is declared twice.`)
      // The values come from this form's `read`, and `formState` from the modal that opened it, so the cast is safe.
      forms.set(form.id, form as unknown as Form<unknown, unknown>)
    },
    shortcut(shortcut: MessageShortcut): void {
      shortcuts.set(shortcut.callbackId, shortcut)
    },
    mentionRule(mentionRule: MentionRule): void {
      mentionRules.push(mentionRule)
    },
    mentionRules: mentionRules as readonly MentionRule[],
    job<Details>(job: JobKind<Details>): void {
      if (jobs.has(job.kind)) throw new Error(`The kind of job ${job.kind} is declared twice.`)
      // The job was queued with a body of this kind's type.
      jobs.set(job.kind, job as unknown as JobKind<unknown>)
    },
    /** Adds a section of App Home. The sections of a group appear in the order of these calls. */
    homeSection(section: HomeSection): void {
      sections.push(section)
    },
    /** Adds a kind of thing that people can hand over. Kinds appear in the order of these calls. */
    handOver(kind: HandOver): void {
      handOvers.push(kind)
    },
    handOvers: handOvers as readonly HandOver[],
    get verbs(): readonly Verb[] {
      return [...commands.values()].flatMap((verbs) => [...verbs.values()])
    },
    get shortcuts(): readonly MessageShortcut[] {
      return [...shortcuts.values()]
    },
    get forms(): readonly Form<unknown, unknown>[] {
      return [...forms.values()]
    },
    get jobs(): readonly JobKind<unknown>[] {
      return [...jobs.values()]
    },
    /** Throws if a word names two verbs, or if a verb refers to one that doesn't exist. */
    throwIfAmbiguous(): void {
      for (const [command, verbs] of commands) {
        indexVerbs(command, verbs.values())
        for (const verb of verbs.values())
          for (const line of Object.values(verb.elsewhere ?? {})) {
            const [other = '', word = ''] = line.slice(1).split(' ')
            if (!commands.get(other)?.has(word))
              throw new Error(`${verbName(verb)} refers to ${line}, which isn’t a command.`)
          }
      }
    },
    commands: (): readonly string[] => [...commands.keys()],
    findVerbs: (command: string): ReadonlyMap<string, Verb> | undefined => commands.get(command),
    /** The verbs of a command by every word or phrase that names them. */
    findWords(command: string): ReadonlyMap<string, Verb> {
      const cached = indexes.get(command) ?? indexVerbs(command, commands.get(command)?.values() ?? [])
      indexes.set(command, cached)
      return cached
    },
    findForm: (id: string): Form<unknown, unknown> | undefined => forms.get(id),
    findShortcut: (callbackId: string): MessageShortcut | undefined => shortcuts.get(callbackId),
    homeView: (): Home | undefined =>
      sections.length > 0 ? (context) => buildHome(sections, context) : undefined,
  }
}
