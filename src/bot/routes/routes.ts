import type { KnownBlock } from '@slack/types'
import type { Message } from '../../blocks/message.ts'
import { fitView, type ModalParts } from '../../blocks/modal.ts'
import type { Environment } from '../../domain/environment.ts'
import type { Role } from '../../domain/roles.ts'
import type { Posted } from '../../slack/client/slack-client.ts'
import type { Upload } from '../../slack/client/slack-files.ts'
import type { Answers } from '../../slack/receive/form-answers.ts'
import type { AuditEvent } from '../../store/store.ts'
import type { Arguments, FlagSpecs } from '../typed/command-line.ts'
import type { AuditDetails } from './audited-acts.ts'
import type { CommandContext } from './command-context.ts'

/** A window to open: what it shows, and (for a form) what its submission must know that nobody types. */
export interface Modal extends ModalParts {
  about?: unknown
}

/** One thing a person can type. `verb` is '' for the bare command; with `takesWords` that one also gets what is no verb. */
export interface Verb {
  command: string
  verb: string
  /** What is typed behind the command, e.g. `show NAME|UUID`. */
  usage: string
  /** One line for the help. */
  does: string
  /** Who may: checked when it is typed and again when a button asks for it. */
  needs: Role
  /** True for a verb that changes something although every member may use it. */
  changesSomething?: boolean
  /** True for what shows personal data or may hold them: members alone see it, and the verb refuses everybody else. */
  isPersonal?: boolean
  /**
   * True when running the line is an act: it changes something at the service, in the store or, beyond its own answer, in
   * Slack, and is done once however often it is delivered. Showing something or opening a window is no act.
   */
  acts?: boolean | ((args: Arguments) => boolean)
  flags?: FlagSpecs
  takesWords?: boolean
  /** Answers, or opens a window. Opening must not wait for more than it needs: a placeholder stands in after a moment. */
  run(context: CommandContext, args: Arguments): Promise<Message | Modal>
  /** Its answer may be shown to the whole channel, by button or with `--share`; `guarded` is not for shared channels. */
  shares?: 'open' | 'guarded'
  /** Called when its answer stands in a channel; may be called again for the same message. */
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
  /** Other words for it → what they mean behind the command: `{ down: 'list --status UNHEALTHY' }`. */
  alsoTyped?: Readonly<Record<string, string>>
  /** A whole line as a person would type it, without the command: shown in the help. */
  example?: string
  /** True for what only buttons ask for: neither the help nor a suggestion names it. */
  hidden?: boolean
}

/** A form: how its answers are read, at once, and what is then done with them. `About` is what its modal was opened with. */
export interface Form<Values, About> {
  id: string
  /** What it carries out, as it is typed: `/hc edit`. */
  verb: string
  /** Who may send it in; checked then, whoever was shown the window. */
  needs: Role
  changesSomething?: boolean
  /** What stands in the window while it works, e.g. `Saving the health check…`. */
  working: string
  /** Must not wait: Slack shows field errors only in the acknowledgement. Throws FieldErrors. */
  read(answers: Answers): Values
  /** Fields that are never filled in again, not even with what was just typed: the form comes back with them empty. */
  secret?: readonly string[]
  /** True when sending it only shows something: it is not written down, and nothing in it may be changed. */
  reads?: boolean
  /** True when the outcome also comes as a message, because its buttons are of use after the window is closed. */
  keeps?: boolean
  /** Returns what is shown when it is done. Throws FieldErrors for what only the service could find wrong. */
  submit(context: CommandContext, values: Values, about: About): Promise<Message>
  /** The form's blocks again after an answer with `dispatch` changed: fields that follow from it come or go. */
  follow?(answers: Answers, about: About, environment: Environment): (KnownBlock | KnownBlock[])[]
}

/** An entry of the message menu: the line that it stands for. Throws UserError when the message holds nothing for it. */
export interface MessageShortcut {
  callbackId: string
  lineFor(message: Readonly<Record<string, unknown>>): { command: string; text: string }
}

/** How a feature understands people who mention the app, where they do not type its command as they would on a line. */
export interface Hearing {
  /** The command that its lines are of. */
  command: string
  /** What was said behind the command, as it would be typed. */
  typed(said: string): string
  /** What is typed for words that name no command; undefined when they are not for this feature. */
  textFor(said: string): string | undefined
  /** What is typed in a thread once the message it hangs on is known; undefined where the words need no such message. */
  inThread(typed: string): ((root: Readonly<Record<string, unknown>>) => string) | undefined
}

/** A kind of work that outlives its request: any process runs it, and continues it when the first process died. */
export interface JobKind<About> {
  kind: string
  /** As typed, for the audit log; who asked for it must still have the right when it is done. */
  verb: string
  needs: Role
  /** Returns what the person reads at its end; `isDone` is false when it can be started again. */
  run(run: JobRun<About>): Promise<{ message: Message; isDone: boolean }>
}

export interface JobRun<About> {
  readonly id: string
  /** The name of the process in the store. */
  readonly owner: string
  readonly about: About
  readonly context: CommandContext
  /** Aborted when this process loses the job to another: nothing may be begun after that. */
  readonly signal: AbortSignal
  now(): Date
  /** Makes a row for the audit log, in the name of the person who asked for the job. */
  auditEvent(what: AuditDetails, outcome: AuditEvent['outcome']): AuditEvent
  /** Looks again whether the person may do this. Throws Refusal. */
  readmit(): Promise<void>
  /** Whether somebody has asked for it to stop. */
  isStopped(): boolean
  /** How long a step that another process began may still be under way, in milliseconds. */
  readonly settleMs: number
  /** Shows the progress in one message that is edited in place, at most every few seconds. */
  tell(message: Message): Promise<void>
  /** Uploads a file to where the progress is shown. Throws when Slack refuses it. */
  upload(file: Upload): Promise<void>
}

/** What App Home shows; rebuilt whenever the person opens it. */
export type Home = (context: CommandContext) => Promise<KnownBlock[]>

export interface Routes {
  verb(verb: Verb): void
  // A form's own types stay between its `read`, `submit` and the modal that opens it.
  form<Values, About>(form: Form<Values, About>): void
  shortcut(shortcut: MessageShortcut): void
  hearing(hearing: Hearing): void
  job<About>(job: JobKind<About>): void
  home(home: Home): void
  /** A feature's own part of App Home, behind what `home` gives and in the order of these calls; empty for nothing to show. */
  homeSection(section: Home): void
  /** What stands at the end of App Home, behind every section. */
  homeFoot(foot: Home): void
}

export interface RouteTable extends Routes {
  readonly verbs: readonly Verb[]
  readonly forms: readonly Form<unknown, unknown>[]
  readonly jobs: readonly JobKind<unknown>[]
  verbsOf(command: string): ReadonlyMap<string, Verb> | undefined
  formOf(id: string): Form<unknown, unknown> | undefined
  shortcutOf(callbackId: string): MessageShortcut | undefined
  readonly hearings: readonly Hearing[]
  homeView(): Home | undefined
}

/** The one routing table: looked up by name, so its length costs nothing. Throws when two things take one name. */
export function createRoutes(): RouteTable {
  const commands = new Map<string, Map<string, Verb>>()
  const forms = new Map<string, Form<unknown, unknown>>()
  const shortcuts = new Map<string, MessageShortcut>()
  const sections: Home[] = []
  const hearings: Hearing[] = []
  const jobs = new Map<string, JobKind<unknown>>()
  let home: Home | undefined
  let foot: Home | undefined

  /** Sections that wait for something wait at the same time. */
  async function wholeHome(first: Home, context: CommandContext): Promise<KnownBlock[]> {
    const parts = await Promise.all(
      [first, ...sections, ...(foot ? [foot] : [])].map((part) => part(context)),
    )
    return fitView(parts.flat())
  }

  return {
    verb(verb) {
      const verbs = commands.get(verb.command) ?? new Map<string, Verb>()
      if (verbs.has(verb.verb)) throw new Error(`/${verb.command} ${verb.verb} is taken.`)
      commands.set(verb.command, verbs.set(verb.verb, verb))
    },
    form(form) {
      if (forms.has(form.id)) throw new Error(`The form ${form.id} is taken.`)
      // Values come from this form's `read` and About from the modal opened for it: both are its own types.
      forms.set(form.id, form as unknown as Form<unknown, unknown>)
    },
    shortcut(shortcut) {
      shortcuts.set(shortcut.callbackId, shortcut)
    },
    hearing(hearing) {
      hearings.push(hearing)
    },
    hearings,
    job(job) {
      if (jobs.has(job.kind)) throw new Error(`The kind of job ${job.kind} is taken.`)
      // What a job is about comes from whoever adds one of its kind: its own type.
      jobs.set(job.kind, job as unknown as JobKind<unknown>)
    },
    home(view) {
      home = view
    },
    homeSection(section) {
      sections.push(section)
    },
    homeFoot(view) {
      foot = view
    },
    get verbs() {
      return [...commands.values()].flatMap((verbs) => [...verbs.values()])
    },
    get forms() {
      return [...forms.values()]
    },
    get jobs() {
      return [...jobs.values()]
    },
    verbsOf: (command) => commands.get(command),
    formOf: (id) => forms.get(id),
    shortcutOf: (callbackId) => shortcuts.get(callbackId),
    homeView() {
      const first = home
      return first && ((context) => wholeHome(first, context))
    },
  }
}
