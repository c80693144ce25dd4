import { lruOptions, TEXT_LIMITS, UserError } from '@signalman/runtime'
import {
  type AnswerTargets,
  findMissingScopes,
  type MentionRequest,
  type RequestOrigin,
  type SlackClients,
} from '@signalman/slack'
import { LRUCache } from 'lru-cache'
import { cmd } from '../domain/command-names.ts'
import { type FindDeps, lineHandler, unlessAct } from './find.ts'
import { failing, type Handler, onlyAck } from './handler.ts'
import { type CommandLine, resolveTyped, withoutPrefix } from './routes/lines.ts'

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

  const handlerOf = (line: CommandLine): Handler => lineHandler(deps, line, resolveTyped)

  /** In a thread, a line without an ID may be about the thread's first message. */
  function findLine(request: MentionRequest, { surface }: RequestOrigin): Handler {
    const { threadTs }: AnswerTargets = surface
    const line = readMentionLine(request)
    const handler = handlerOf(line)
    const isLong = line.text.length > TEXT_LIMITS.line
    const completeLine =
      threadTs && !handler.isAct && !isLong
        ? routes.mentionRules.get(line.command)?.resolveInThread(line.text)
        : undefined
    if (!threadTs || !completeLine) return handler
    return {
      verb: handler.verb,
      needs: 'viewer',
      guests: true,
      async resolveHandler(origin) {
        const text = await completeLine(await readThreadRoot(origin, threadTs))
        return unlessAct(handlerOf({ ...line, text }))
      },
    }
  }

  /** The mentions that this process has handled. Whoever edits one of them knows that it was, so nothing is said. */
  const handled = new LRUCache<string, true>(lruOptions(MAX_REMEMBERED))

  return (request, origin) => {
    const { text, hasFile, ts, isEdited } = request
    const message = [origin.workspaceId, origin.channelId, ts].join(' ')
    if (isEdited && handled.has(message)) return onlyAck()
    handled.set(message, true)
    if (isEdited) return failing(new UserError(EDITED_MENTION))
    if (hasFile && text === '') return failing(new UserError(explainUnreadFile()))
    return findLine(request, origin)
  }
}

const MAX_REMEMBERED = 10_000

const EDITED_MENTION =
  'Signalman doesn’t run what is edited into a message, so nothing was run or changed. Send it again as a new message.'

const explainUnreadFile = (): string =>
  `Signalman doesn’t read files attached to a message, and your message has no text. To upload a file, use a form such as ${cmd('/hc import')}.`

const CANT_READ_THREAD =
  'Signalman can’t read the message that started this thread, because the app lacks the scope channels:history (groups:history in private channels). A workspace admin can grant it by reinstalling the app. Until then, include the ID in your message.'
