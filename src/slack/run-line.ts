import type { Message } from '../blocks/message.ts'
import { UserError } from '../errors.ts'
import type { Channels } from '../store/channels.ts'
import type { Environment } from '../store/store.ts'
import type { Ask } from './ask.ts'
import { parseArguments, wordsOf } from './command-line.ts'
import { type Desk, isModal } from './desk.ts'
import { nearest } from './nearest.ts'
import type { Place } from './place.ts'
import type { RouteTable, Verb } from './routes.ts'

const ENVIRONMENT_FLAG = { env: ['production', 'ote'] } as const

export interface Line {
  /** Without its slash and without the deployment's prefix. */
  command: string
  text: string
}

/** Runs a typed line, or one that a button stands for. Throws what the verb throws; returns the name of what ran, for the log. */
export type RunLine = (place: Place, line: Line, options?: { inPlace?: boolean }) => Promise<string>

export function createRunLine(parts: {
  routes: RouteTable
  channels: Channels
  desk: Desk
  ask: (place: Place, environment: Environment) => Ask
}): RunLine {
  const { routes, channels, desk, ask } = parts

  return async (place, { command, text }, options = {}) => {
    const { verb, words } = verbFor(routes, command, wordsOf(text))
    const args = parseArguments(words, { ...verb.flags, ...ENVIRONMENT_FLAG })
    const environment = (args.flags.env as Environment | undefined) ?? (await environmentOf(place))
    const work = verb.run(ask(place, environment), args)
    // Without a response_url (App Home, a window) the answer opens a window too, and the trigger does not wait for it.
    if (verb.opens || !place.responseUrl) await desk.window(place, environment, work, options)
    else await answer(place, environment, await work, options)
    return `/${command} ${verb.verb}`.trim()
  }

  async function environmentOf(place: Place): Promise<Environment> {
    if (place.environment) return place.environment
    const setting = place.channelId && (await channels.environment(place.workspaceId, place.channelId))
    return setting || 'production'
  }

  async function answer(
    place: Place,
    environment: Environment,
    content: Awaited<ReturnType<Verb['run']>>,
    options: { inPlace?: boolean },
  ): Promise<void> {
    if (isModal(content)) return desk.window(place, environment, Promise.resolve(content))
    await desk.answer(place, environment, content satisfies Message, options)
  }
}

/** The verb that a line means, and the words left for it. Nonsense gets the help; a slip gets what was meant, to press. */
function verbFor(routes: RouteTable, command: string, words: string[]): { verb: Verb; words: string[] } {
  const verbs = routes.verbsOf(command)
  const bare = verbs?.get('')
  if (!verbs || !bare) throw new UserError(`There is no command \`/${command}\` here.`)
  const [first = '', ...rest] = words
  const named = verbs.get(first.toLowerCase())
  if (named && first !== '') return { verb: named, words: rest }
  const isBare = first === '' || first.startsWith('-')
  const close = isBare ? undefined : nearest(first, suggested(verbs))
  if (isBare || (bare.takesWords && !close)) return { verb: bare, words }
  if (!close) return { verb: verbs.get('help') ?? bare, words: [] }
  const line = [`/${command}`, close, ...rest.map(quoted)].join(' ')
  throw new UserError(`/${command} has no “${first}”. Did you mean “${line}”?`, [
    { label: `Run /${command} ${close}`, line },
    { label: 'Help', line: `/${command} help` },
  ])
}

const suggested = (verbs: ReadonlyMap<string, Verb>): string[] =>
  [...verbs.values()].flatMap(({ verb, hidden }) => (verb && !hidden ? [verb] : []))

const quoted = (word: string): string => (/\s/.test(word) ? `"${word}"` : word)
