import { UserError } from '../../errors.ts'
import type { Channels } from '../../store/channels.ts'
import type { Environment } from '../../store/store.ts'
import { type Desk, isModal } from '../answers/desk.ts'
import type { Sharing } from '../answers/sharing.ts'
import type { MakeAsk } from '../make-ask.ts'
import type { Place, Placing } from '../place.ts'
import type { Access } from '../rights/access.ts'
import type { RouteTable, Verb } from '../routes.ts'
import { type Arguments, type FlagSpecs, parseArguments, Slip, type Word, wordsOf } from './command-line.ts'
import { FailedIn } from './failed-in.ts'
import { nearest } from './nearest.ts'
import { FLAG, lineOf } from './quoting.ts'
import type { MendToken } from './token-mending.ts'

const ENVIRONMENT_FLAG = { env: ['production', 'ote'] } as const
/** In any of the spellings that the parser forgives: one or two dashes of any length. */
const SHARING_FLAG = /(?:^|\s)\S{1,2}(?:share|yes)\b/giu
const SHARE_FLAGS = { share: 'switch', yes: 'switch' } as const

export interface Line {
  /** Without its slash and without the deployment's prefix. */
  command: string
  text: string
}

/** Runs a typed line, or one that a button stands for. Throws what the verb throws; returns the name of what ran, for the log. */
export type RunLine = (place: Place, line: Line, options?: Placing) => Promise<string>

export function createRunLine(parts: {
  routes: RouteTable
  channels: Channels
  desk: Desk
  sharing: Sharing
  access: Access
  mendToken: MendToken
  ask: MakeAsk
}): RunLine {
  const { routes, channels, desk, sharing, access, mendToken, ask } = parts

  return async (asked, { command, text }, options = {}) => {
    const { verb, words } = verbFor(routes, command, wordsOf(text))
    const specs = { ...verb.flags, ...ENVIRONMENT_FLAG, ...(verb.shares && SHARE_FLAGS) }
    const args = argumentsOf(`/${command} ${verb.verb}`.trim(), words, specs)
    const name = `/${command} ${verb.verb}`.trim()
    const environment = (args.flags.env as Environment | undefined) ?? (await environmentOf(asked))
    const line = `/${command} ${text}`.trim()
    const place = verb.redraws ? { ...asked, line } : asked
    const answered = Promise.withResolvers<void>()
    try {
      const work = run(place, environment, verb, args, line, answered.promise)
      if (args.flags.share) await share(place, environment, verb, { command, text }, args, await work)
      else await deliver(place, environment, verb, work, options)
    } catch (error) {
      throw new FailedIn(environment, error)
    } finally {
      answered.resolve()
    }
    return name
  }

  async function share(
    place: Place,
    environment: Environment,
    verb: Verb,
    { command, text }: Line,
    { flags }: Arguments,
    done: Awaited<ReturnType<typeof run>>,
  ): Promise<void> {
    const line = `/${command} ${text.replace(SHARING_FLAG, '')}`.trim()
    await sharing.share({ place, environment, verb, line, isSure: flags.yes === true, ...done })
  }

  async function run(
    place: Place,
    environment: Environment,
    verb: Verb,
    args: Arguments,
    line: string,
    answered: Promise<void>,
  ) {
    const actor = await access.admit(place, { ...verb, verb: `/${verb.command} ${verb.verb}`.trim() })
    // Before any work: what the window would have shown, a new token for one, could be shown to nobody.
    if (verb.opens && !place.triggerId) throw new UserError(NO_WINDOW)
    const asked = { ...ask(place, environment, actor), answered }
    const content = await verb.run(asked, args).catch(async (error: unknown) => {
      throw await mendToken(error, { place, environment, actor, line })
    })
    return { ask: asked, content }
  }

  async function deliver(
    place: Place,
    environment: Environment,
    verb: Verb,
    work: ReturnType<typeof run>,
    options: Placing,
  ): Promise<void> {
    const content = work.then((done) => done.content)
    // Without a response_url (App Home, a window) the answer opens a window too, and the trigger does not wait for it.
    if (place.triggerId && (verb.opens || !place.responseUrl))
      return desk.window(place, environment, content, options)
    const ready = await content
    if (!isModal(ready)) return desk.answer(place, environment, ready, options)
    if (!place.triggerId) throw new UserError(NO_WINDOW)
    await desk.window(place, environment, content)
  }

  async function environmentOf(place: Place): Promise<Environment> {
    if (place.environment) return place.environment
    const setting = place.channelId && (await channels.environment(place.workspaceId, place.channelId))
    return setting || 'production'
  }
}

const NO_WINDOW =
  'This opens a window, and Slack lets an app open one only for a command or a button. Type the command in the channel.'

/** The verb that a line means, and the words left for it. Nonsense gets the help; a slip gets what was meant, to press. */
function verbFor(routes: RouteTable, command: string, words: Word[]): { verb: Verb; words: Word[] } {
  const verbs = routes.verbsOf(command)
  const bare = verbs?.get('')
  if (!verbs || !bare) throw new UserError(`There is no command \`/${command}\` here.`)
  const [first, ...rest] = words
  const typed = first?.text ?? ''
  const named = verbs.get(typed.toLowerCase())
  if (named && typed !== '') return { verb: named, words: rest }
  const isBare = typed === '' || (typed.startsWith('-') && !first?.isQuoted)
  const close = isBare ? undefined : nearest(typed, suggested(verbs))
  if (isBare || (bare.takesWords && !close)) return { verb: bare, words }
  if (!close) return { verb: verbs.get('help') ?? bare, words: [] }
  const line = `/${command} ${close} ${lineOf(rest)}`.trim()
  throw new UserError(`/${command} has no “${typed}”. Did you mean “${line}”?`, [
    { label: `Run /${command} ${close}`, line },
    { label: 'Help', line: `/${command} help` },
  ])
}

/** Throws UserError; for a slip of the finger with the mended line, to press. */
function argumentsOf(verb: string, words: readonly Word[], specs: FlagSpecs): Arguments {
  try {
    return parseArguments(words, specs)
  } catch (error) {
    if (!(error instanceof Slip) || error.meant === undefined) throw error
    const { typed, meant } = error
    const line = `${verb} ${lineOf(words.map((word) => mended(word, typed, meant)))}`
    throw new UserError(error.message, [{ label: `Run it with ${meant}`, line }])
  }
}

/** `--statsu=X` and `-statsu` are slips of `--status` too; a value may stand alone or behind `=`. */
function mended(word: Word, typed: string, meant: string): Word {
  const [, name, value] = (!word.isQuoted && FLAG.exec(word.text)) || []
  if (name === undefined) return word.text === typed ? { ...word, text: meant } : word
  if (`--${name.toLowerCase()}` === typed)
    return { text: value === undefined ? meant : `${meant}=${value}`, isQuoted: false }
  return value === typed ? { text: `--${name}=${meant}`, isQuoted: false } : word
}

const suggested = (verbs: ReadonlyMap<string, Verb>): string[] =>
  [...verbs.values()].flatMap(({ verb, hidden }) => (verb && !hidden ? [verb] : []))
