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
  type Posted,
  type Upload,
} from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Environment } from '../../domain/environment.ts'
import type { Role } from '../../domain/roles.ts'
import type { Arguments, FlagSpecs } from '../typed/command-line.ts'
import type { AuditDetails, CommandContext } from './command-context.ts'

/** A window to open: its content and, for a form, what its submission must know beyond the answers. */
export interface Modal extends ModalParts {
  about?: unknown
}

/**
 * Single words that stand for a verb, or for a verb with flags: `{ down: 'list --status UNHEALTHY' }`. Everything typed after the
 * synonym applies as if the verb had been typed. Lines in a list, which may belong to other commands, are only suggested.
 */
export type Synonyms = Readonly<Record<string, string | readonly string[]>>

/** One thing a person can type. `verb` is '' for the bare command; with `takesWords` that one also gets what is no verb. */
export interface Verb {
  command: string
  verb: string
  /** What is typed after the command, e.g. `show NAME|UUID`. */
  usage: string
  /** One line for the help. */
  does: string
  /** The role that is checked when the line is typed and again when a button runs it. */
  needs: Role
  /** True for a verb that changes something although every member may use it. */
  changesSomething?: boolean
  /** True for a verb that shows, or may show, personal data: only members may use it. */
  isPersonal?: boolean
  /**
   * True when running the line is an act: it changes something at the service, in the store or, beyond its own answer, in
   * Slack, and is done once however often it is delivered. Showing something or opening a window is no act.
   */
  acts?: boolean | ((args: Arguments) => boolean)
  flags?: FlagSpecs
  takesWords?: boolean
  /** True for a verb with one ID or one value: further words are refused. */
  takesOneWord?: boolean
  /** True for a verb behind whose name that of a health check is typed; `alone` for the one that shows it: `/hc Shop checkout`. */
  takesName?: true | 'alone'
  /** Returns the answer or a window. A window must open quickly: after a moment a placeholder is shown. */
  run(context: CommandContext, args: Arguments): Promise<Message | Modal>
  /** Its answer may be shown to the whole channel, by button or with `--share`; `guarded` is not for shared channels. */
  shares?: 'open' | 'guarded'
  /** Whether a shared answer says who shared it. Guests may read the channel. Always, unless given. */
  sharesName?(args: Arguments): boolean
  /** Called when its answer was posted in a channel; may be called again for the same message. */
  shared?(
    context: CommandContext,
    args: Arguments,
    at: Posted & { threadTs: string | undefined },
  ): Promise<void>
  /** True when running the line again only shows what is so now: its answer is drawn again when it is out of date. */
  redraws?: boolean
  /**
   * True when `run` opens a window: it is bound to Slack's trigger, which lives for 3 s. `to-read` for a window that has no
   * form: where Slack opens none (behind a mention, in a thread), the same is said in a message.
   */
  opens?: boolean | 'to-read'
  /** The verb that these words mean instead, such as the one that opens a window; undefined for most. */
  means?: (args: Arguments) => string | undefined
  /** Synonyms of verbs. They may be declared at any verb of the command. */
  synonyms?: Synonyms
  /** A full line without the command, shown in the help. */
  example?: string
  /** True for a verb that only buttons use: neither the help nor a suggestion names it. */
  hidden?: boolean
}

/** A verb as a feature adds it. */
export interface VerbDeclaration extends Omit<Verb, 'command' | 'verb' | 'usage'> {
  /** All that is typed: `/hc show NAME|UUID`. What stands behind the command in small letters is the verb. */
  typed: string
}

function readTyped(typed: string): Pick<Verb, 'command' | 'verb' | 'usage'> {
  const [, command = '', usage = '', verb = ''] = /^\/(\S+)(?: (([a-z][a-z-]*)?.*))?$/s.exec(typed) ?? []
  if (command === '') throw new Error(`“${typed}” isn’t a command line.`)
  return { command, verb, usage }
}

/** A verb as it is typed: `/hc list`; that of a bare command is the command. */
export const verbName = ({ command, verb }: Pick<Verb, 'command' | 'verb'>): string =>
  `/${command} ${verb}`.trim()

/** What is typed after a verb, beside its flags: `NAME|UUID`. Empty for a verb that takes no words. */
export const wordsAfter = ({ verb, usage }: Pick<Verb, 'verb' | 'usage'>): string =>
  usage
    .slice(verb.length)
    .replace(/\[?--.*/s, '')
    .trim()

/**
 * A form: how its answers are read, at once, and what is then done with them. `About` is what its modal was opened with,
 * `Parts` what the feature has to do it with.
 */
export interface Form<Values, About, Parts = void> {
  id: string
  /** The verb that it carries out, as typed: `/hc edit`. */
  verb: string
  /** The role that is checked when it is sent in. */
  needs: Role
  changesSomething?: boolean
  /** What the window shows while it works, e.g. `Saving the health check…`. */
  working: string
  /** Reads the answers without waiting: Slack shows field errors only in the acknowledgement. Throws FieldErrors. */
  read(answers: Answers): Values
  /** Fields that are never filled in again: the form comes back with them empty. */
  secret?: readonly string[]
  /** True when sending it is a read: it is not written down, and must not change anything. */
  reads?: boolean
  /** True when the outcome is also sent as a message, whose buttons work after the window is closed. */
  alsoSendsResult?: boolean
  /** Returns the outcome. Throws FieldErrors for faults that only the service could find. */
  submit(context: CommandContext, values: Values, about: About, parts: Parts): Promise<Message>
  /** The options of a field whose menu searches while a person types. It only reads. */
  options?(context: CommandContext, field: string, typed: string, about: About): Promise<readonly Choice[]>
  /** The form's blocks after an answer with `dispatch` has changed: dependent fields come or go. */
  follow?(answers: Answers, about: About, environment: Environment): (KnownBlock | KnownBlock[])[]
  /** For a form of several pages: the window after a press of a `turnButton`. */
  turn?(context: CommandContext, about: About, to: string, parts: Parts): Promise<Modal>
}

/** An entry of the message menu, and the line that it stands for. */
export interface MessageShortcut {
  callbackId: string
  command: string
  /** What stands behind the command. Throws UserError when the message has nothing for it. */
  textFor(message: Readonly<Record<string, unknown>>): Promise<string>
}

/** How a feature understands a mention or a direct message that is an ID. */
export interface Hearing {
  /** The command of its lines. */
  command: string
  /** The words after the command, as they would be typed. */
  typed(said: string): string
  /** The IDs, where nothing else was written. */
  idsIn(said: string): string | undefined
  /** The line for words in a thread, once the thread's first message is known; undefined when they do not need that. */
  inThread(typed: string): ((root: Readonly<Record<string, unknown>>) => Promise<string>) | undefined
}

/** A kind of job: any process runs it, and continues it when the first process died. */
export interface JobKind<About> {
  kind: string
  /** The verb, for the audit log; the person must still have the right when the job runs. */
  verb: string
  needs: Role
  /** True for one that changes nothing. */
  reads?: boolean
  /** Returns what the person reads at its end; `isDone` is false when it can be started again. */
  run(run: JobRun<About>): Promise<{ message: Message; isDone: boolean }>
  /** What the person reads where it was ended by an error: how far it got. The problem alone unless given. */
  ended?(job: EndedByError<About>, because: string): Promise<Message>
}

export interface EndedByError<About> {
  readonly id: string
  readonly about: About
  readonly workspaceId: string
  readonly environment: Environment
  readonly now: Date
}

export interface JobRun<About> {
  readonly id: string
  /** The name of this process in the store. */
  readonly owner: string
  readonly about: About
  readonly context: CommandContext
  /** Aborted when this process loses the job to another one: then it must begin nothing more. */
  readonly signal: AbortSignal
  now(): Date
  /** Makes an audit row in the name of the person who asked for the job. */
  auditEvent(what: AuditDetails, outcome: AuditEvent['outcome']): AuditEvent
  /** Checks again that the person may do this. Throws Refusal. */
  readmit(): Promise<void>
  /** Whether somebody has asked for it to stop. */
  isStopped(): boolean
  /** How long a step that another process began may still take, in milliseconds. */
  readonly settleMs: number
  /** Shows the progress in one message that is edited in place, at most every few seconds. */
  tell(message: Message): Promise<void>
  /** Uploads a file beside the progress message. Throws when Slack refuses it. */
  upload(file: Upload): Promise<void>
}

/** What App Home shows, or a feature's own section of it; rebuilt whenever the person opens it. It may be empty. */
type Home = (context: CommandContext) => Promise<KnownBlock[]>

/** The parts of App Home in their order, and what stands above each that has something in it: what waits for its person is first. */
const HOME_PARTS = {
  'set-up': '',
  'for you': 'For you',
  now: 'Now',
  watched: 'Watched',
  'can do': 'What you can do',
  foot: 'Connection',
} as const

/** Something that a person holds and can hand over to somebody else: one certificate order, one watch. */
export interface HeldThing {
  /** Names it among those of its kind. */
  readonly id: string
  readonly environment: Environment
  /** As people know it: `order 12 for shop.example.com`. */
  readonly name: Line
  /** Why it can't change hands now, as a sentence. */
  readonly stays?: string | undefined
}

/** Who gets what somebody else holds. */
export interface NewHolder {
  readonly userId: string
  readonly name: string
}

/** One kind of things that people hold, as the feature that has them declares it: its part of `/hc handover`. */
export interface HandOver {
  readonly one: string
  readonly many: string
  /** The role that whoever gets them must have. */
  needs(context: CommandContext): Promise<Role>
  /** What a person holds now, in every environment. */
  held(context: CommandContext, userId: string): Promise<readonly HeldThing[]>
  /** Gives these things to somebody else, in audited steps. Returns the IDs of those that changed hands; the others weren't `from`'s any more. */
  give(
    context: CommandContext,
    things: readonly HeldThing[],
    people: { readonly from: string; readonly to: NewHolder },
  ): Promise<readonly string[]>
  /** What the new person should know about these things, a sentence each. */
  notes?(things: readonly HeldThing[]): readonly string[]
}

export type RouteTable = ReturnType<typeof createRoutes>
/** What features add to it. */
export type Routes = Pick<
  RouteTable,
  'verb' | 'form' | 'shortcut' | 'hearing' | 'job' | 'homeSection' | 'handOver'
>

const synonymsIn = (verbs: ReadonlyMap<string, Verb>): ReadonlyMap<string, string | readonly string[]> =>
  new Map([...verbs.values()].flatMap(({ synonyms = {} }) => Object.entries(synonyms)))

export interface HomeSection {
  part: keyof typeof HOME_PARTS
  section: Home
}

/** All sections are made at the same time. */
async function wholeHome(sections: readonly HomeSection[], context: CommandContext): Promise<KnownBlock[]> {
  const made = await Promise.all(
    sections.map(async ({ part, section }) => ({ part, blocks: await section(context) })),
  )
  const parts = Object.entries(HOME_PARTS).map(([part, title]) => {
    const blocks = made.flatMap((one) => (one.part === part ? one.blocks : []))
    return title === '' || blocks.length === 0 ? blocks : [header(title), ...blocks]
  })
  const [first = [], ...others] = parts.filter((blocks) => blocks.length > 0)
  return fitView([...first, ...others.flatMap((blocks) => [divider(), ...blocks])])
}

const SINGLE_WORD = /^[a-z]+(?:-[a-z]+)*$/

function refuseAmbiguous(command: string, verbs: ReadonlyMap<string, Verb>): void {
  const known = new Map<string, string>()
  for (const { verb, synonyms = {} } of verbs.values())
    for (const word of Object.keys(synonyms)) {
      if (!SINGLE_WORD.test(word)) throw new Error(`“${word}” of /${command} isn’t a single word.`)
      if (verbs.has(word))
        throw new Error(`“${word}” is a verb of /${command}, and stands for “${verb}” too.`)
      const other = known.get(word)
      if (other !== undefined)
        throw new Error(`“${word}” stands for both “${other}” and “${verb}” of /${command}.`)
      known.set(word, verb)
    }
}

/** The only routing table; verbs and forms are found by name. Throws when two have the same name. */
export function createRoutes() {
  const commands = new Map<string, Map<string, Verb>>()
  const synonyms = new Map<string, ReturnType<typeof synonymsIn>>()
  const forms = new Map<string, Form<unknown, unknown>>()
  const shortcuts = new Map<string, MessageShortcut>()
  const sections: HomeSection[] = []
  const hearings: Hearing[] = []
  const jobs = new Map<string, JobKind<unknown>>()
  const handOvers: HandOver[] = []

  return {
    verb({ typed, ...declared }: VerbDeclaration): void {
      const verb: Verb = { ...declared, ...readTyped(typed) }
      const verbs = commands.get(verb.command) ?? new Map<string, Verb>()
      if (verbs.has(verb.verb)) throw new Error(`/${verb.command} ${verb.verb} is taken.`)
      commands.set(verb.command, verbs.set(verb.verb, verb))
      synonyms.delete(verb.command)
    },
    // A form's own types stay between its `read`, `submit` and the modal that opens it.
    form<Values, About, Parts = void>(
      form: Form<Values, About, Parts>,
      ...[parts]: undefined extends Parts ? [] : [Parts]
    ): void {
      if (forms.has(form.id)) throw new Error(`The form ${form.id} is taken.`)
      const submit = (context: CommandContext, values: Values, about: About) =>
        // Without parts it takes none.
        form.submit(context, values, about, parts as Parts)
      // The values come from this form's `read`, and About from the modal that opened it: both have its types.
      const { turn: turnWith } = form
      const turn =
        turnWith &&
        ((context: CommandContext, about: About, to: string) =>
          // As above.
          turnWith(context, about, to, parts as Parts))
      forms.set(form.id, { ...form, submit, ...(turn && { turn }) } as unknown as Form<unknown, unknown>)
    },
    shortcut(shortcut: MessageShortcut): void {
      shortcuts.set(shortcut.callbackId, shortcut)
    },
    hearing(hearing: Hearing): void {
      hearings.push(hearing)
    },
    hearings: hearings as readonly Hearing[],
    job<About>(job: JobKind<About>): void {
      if (jobs.has(job.kind)) throw new Error(`The kind of job ${job.kind} is taken.`)
      // The job was added with content of this kind's type.
      jobs.set(job.kind, job as unknown as JobKind<unknown>)
    },
    /** Adds a section to a part of App Home, in the order of these calls. */
    homeSection(part: keyof typeof HOME_PARTS, section: Home): void {
      sections.push({ part, section })
    },
    /** Adds a kind of things that people hold, in the order of these calls. */
    handOver(one: HandOver): void {
      handOvers.push(one)
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
    /** Throws when a synonym is a verb itself, stands for two verbs, or stands for a verb that doesn't exist. */
    refuseAmbiguousWords(): void {
      for (const [command, verbs] of commands) {
        refuseAmbiguous(command, verbs)
        for (const [word, meant] of synonymsIn(verbs))
          for (const line of [meant].flat()) {
            const [, other = command, verb = ''] = /^(?:\/(\S+) ?)?(\S*)/.exec(line) ?? []
            if (!commands.get(other)?.has(verb))
              throw new Error(`“${word}” of /${command} stands for “${line}”, which isn’t a command.`)
          }
      }
    },
    verbsOf: (command: string): ReadonlyMap<string, Verb> | undefined => commands.get(command),
    /** From each synonym to the line that it stands for, or to the lines that are suggested in its place. */
    synonymsOf(command: string): ReturnType<typeof synonymsIn> {
      const known = synonyms.get(command) ?? synonymsIn(commands.get(command) ?? new Map())
      synonyms.set(command, known)
      return known
    },
    formOf: (id: string): Form<unknown, unknown> | undefined => forms.get(id),
    shortcutOf: (callbackId: string): MessageShortcut | undefined => shortcuts.get(callbackId),
    homeView: (): Home | undefined =>
      sections.length > 0 ? (context) => wholeHome(sections, context) : undefined,
  }
}
