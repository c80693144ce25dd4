import { Question, TEXT_LIMITS, UserError } from '@signalman/runtime'
import {
  type AnswerTargets,
  findMissingScopes,
  LIMITS,
  type MentionRequest,
  type RequestOrigin,
  type SlackClients,
} from '@signalman/slack'
import { cmd } from '../domain/command-names.ts'
import { quoted } from '../domain/quoting.ts'
import { type FindDeps, lineHandler, TYPE_IT, unlessAct } from './find.ts'
import { failing, type Handler } from './handler.ts'
import { type CommandLine, resolveTyped, suggestLine, withoutPrefix } from './routes/lines.ts'

/** Finds what a mention of the app runs: its command line, or the IDs in it. */
export function createFindMention(
  deps: Pick<FindDeps, 'routes' | 'share' | 'prefix'> & { clients: SlackClients },
): FindDeps['findMention'] {
  const { routes, clients, prefix } = deps

  /** Parses a command line, whose slash and `hc` are optional, or a text that contains only IDs. */
  function readMentionLine({ text }: MentionRequest): CommandLine {
    const [firstWord = '', ...otherWords] = text.split(/\s+/)
    const command = withoutPrefix(firstWord.replace(/^\//, '').toLowerCase(), prefix)
    if (routes.findVerbs(command)) {
      const typed = otherWords.join(' ')
      return { command, text: routes.mentionRules.get(command)?.toCommandText(typed) ?? typed }
    }
    if (!routes.findVerbs('hc')?.has(firstWord.toLowerCase()))
      for (const { command, parseIds } of routes.mentionRules.values()) {
        const ids = parseIds(text.slice(0, TEXT_LIMITS.message))
        if (ids !== undefined) return { command, text: ids }
      }
    return { command: 'hc', text: text || 'help' }
  }

  async function readThreadRoot(
    origin: Omit<RequestOrigin, 'surface'>,
    threadTs: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { channelId } = origin
    if (!channelId) return {}
    const slack = await clients.forWorkspace(origin)
    try {
      return (await slack.threadRoot({ channelId, threadTs })) ?? {}
    } catch (error) {
      if (!findMissingScopes(error)) return {}
      throw new UserError(CANT_READ_THREAD)
    }
  }

  const read = (line: CommandLine): Handler => lineHandler(deps, line, resolveTyped)

  /** Offers an act as a button: a sentence may quote the line, document it, or say not to type it. */
  function offer(handler: Handler, { command, text }: CommandLine): Handler {
    // What Slack shows in bold may be the name in an earlier message, or a pattern.
    const named = text.replace(BOLD, (_, name: string) => quoted(name))
    const others = named === text ? [] : [read({ command, text: named })].filter(({ isAct }) => isAct)
    const lines = [...others, handler].flatMap(({ line }) => line?.() ?? [])
    const offered = lines.filter((line) => line.length <= MAX_OFFERED)
    const error = offered.length > 0 ? new Question(OFFER, offered.map(suggestLine)) : new UserError(TYPE_IT)
    const { verb, needs, environment } = handler
    return failing(error, { verb, needs, guests: false, environment })
  }

  /** In a thread, a line without an ID may be about the thread's first message. */
  function findLine(request: MentionRequest, { surface }: RequestOrigin): Handler {
    const { threadTs }: AnswerTargets = surface
    const line = readMentionLine(request)
    const handler = read(line)
    if (handler.isAct) return offer(handler, line)
    const isLong = line.text.length > TEXT_LIMITS.line
    const completeLine =
      threadTs && !isLong ? routes.mentionRules.get(line.command)?.resolveInThread(line.text) : undefined
    if (!threadTs || !completeLine) return handler
    return {
      verb: handler.verb,
      needs: 'viewer',
      guests: true,
      async resolveHandler(origin) {
        const text = await completeLine(await readThreadRoot(origin, threadTs))
        return unlessAct(read({ ...line, text }))
      },
    }
  }

  return (request, origin) => {
    if (request.hasFile && request.text === '') return failing(new UserError(explainUnreadFile()))
    return findLine(request, origin)
  }
}

const BOLD = /(?<=^|\s)\*([^*"]+)\*(?=\s|$)/g

/** A button gets its environment, too. */
const MAX_OFFERED = LIMITS.buttonValue - ' --env production'.length

const OFFER = 'Run this? A message by itself never changes anything.'

const explainUnreadFile = (): string =>
  `Signalman doesn’t read files attached to a message, and your message has no text. To upload a file, use a form such as ${cmd('/hc import')}.`

const CANT_READ_THREAD =
  'Signalman can’t read the message that started this thread, because the app lacks the scope channels:history (groups:history in private channels). A workspace admin can grant it by reinstalling the app. Until then, include the ID in your message.'
