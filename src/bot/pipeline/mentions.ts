import { lruOptions, TEXT_LIMITS, UserError } from '@signalman/runtime'
import type { AnswerTargets, MentionRequest, RequestOrigin, SlackClients } from '@signalman/slack'
import { LRUCache } from 'lru-cache'
import { cmd } from '../../domain/command-names.ts'
import { isPlainlyForeign } from '../access/actor.ts'
import type { RequestHandler } from '../request/contract.ts'
import {
  type CommandLine,
  createDeferredLine,
  createTooLongError,
  type ResolveLine,
  resolveTyped,
  withoutPrefix,
} from '../routes/resolve-line.ts'
import type { RouteTable } from '../routes/routes.ts'
import type { LineHandler } from './handlers.ts'

/** Runs the command line in a mention of the app. */
export function createMentionHandler(deps: {
  routes: Pick<RouteTable, 'findVerbs' | 'mentionRules'>
  resolve: ResolveLine
  lineHandler: LineHandler
  clients: SlackClients
  /** This deployment's prefix for command names. */
  prefix: string
}): (request: MentionRequest, origin: RequestOrigin) => RequestHandler {
  const { routes, resolve, lineHandler, clients, prefix } = deps

  /** Parses a command line, whose slash and `hc` are optional, or a text that contains only IDs. */
  function readMentionLine({ text }: MentionRequest): CommandLine {
    const [firstWord = '', ...otherWords] = text.split(/\s+/)
    const command = withoutPrefix(firstWord.replace(/^\//, '').toLowerCase(), prefix)
    if (routes.findVerbs(command)) {
      const typed = otherWords.join(' ')
      return { command, text: findMentionRule(command)?.toCommandText(typed) ?? typed }
    }
    if (!routes.findVerbs('hc')?.has(firstWord.toLowerCase()))
      for (const { command, parseIds } of routes.mentionRules) {
        const ids = parseIds(text.slice(0, TEXT_LIMITS.message))
        if (ids !== undefined) return { command, text: ids }
      }
    return { command: 'hc', text: text || 'help' }
  }

  /** The verb for the audit log if a person of another organization is refused before their text is parsed. */
  function verbForAudit(text: string): string {
    const [firstWord = '', word = ''] = text.slice(0, MAX_VERB_LENGTH).toLowerCase().split(' ')
    const command = withoutPrefix(firstWord, prefix)
    return routes.findVerbs(command)?.has(word) ? `/${command} ${word}`.trim() : '/hc'
  }

  const findMentionRule = (command: string) =>
    routes.mentionRules.find((mentionRule) => mentionRule.command === command)

  async function readThreadRoot(origin: RequestOrigin): Promise<Readonly<Record<string, unknown>>> {
    const { channelId } = origin
    const { threadTs }: AnswerTargets = origin.surface
    if (!channelId || !threadTs) return {}
    const slack = await clients.forWorkspace(origin)
    try {
      return (await slack.threadRoot({ channelId, threadTs })) ?? {}
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('missing_scope')) return {}
      throw new UserError(CANT_READ_THREAD)
    }
  }

  /** In a thread, a line without an ID may be about the thread's first message. */
  function resolveMention(request: MentionRequest, origin: RequestOrigin): ReturnType<ResolveLine> {
    const { threadTs }: AnswerTargets = origin.surface
    const line = readMentionLine(request)
    const resolved = resolveTyped(resolve, line)
    const isLong = line.text.length > TEXT_LIMITS.line
    const resolveWithRoot =
      threadTs && !resolved.isAct && !isLong
        ? findMentionRule(line.command)?.resolveInThread(line.text)
        : undefined
    if (!resolveWithRoot) return resolved
    return createDeferredLine(resolved.name, async () => {
      const lineFromThread = resolve({ ...line, text: await resolveWithRoot(await readThreadRoot(origin)) })
      return lineFromThread.isAct ? resolved : lineFromThread
    })
  }

  /** The mentions that this process has handled. Whoever edits one of them knows that it was, so nothing is said. */
  const handled = new LRUCache<string, true>(lruOptions(MAX_REMEMBERED))

  return (request, origin) => {
    const { text, fullText, hasFile, ts, isEdited } = request
    const message = [origin.workspaceId, origin.channelId, ts].join(' ')
    if (isEdited && handled.has(message)) return {}
    handled.set(message, true)
    if (isEdited)
      return lineHandler(createDeferredLine('/hc', () => Promise.reject(new UserError(EDITED_MENTION))))
    if (hasFile && text === '')
      return lineHandler(createDeferredLine('/hc', () => Promise.reject(new UserError(explainUnreadFile()))))
    if (isPlainlyForeign(origin))
      return lineHandler(createDeferredLine(verbForAudit(text), async () => resolveMention(request, origin)))
    if (fullText.length <= TEXT_LIMITS.line) return lineHandler(resolveMention(request, origin))
    const resolveLongText = async () => {
      const resolved = resolveMention(request, origin)
      // The request was acknowledged as a read.
      if (resolved.isAct) throw createTooLongError(fullText)
      return resolved
    }
    return lineHandler(createDeferredLine('/hc', resolveLongText))
  }
}

const MAX_REMEMBERED = 10_000

const EDITED_MENTION =
  'Signalman doesn’t run what is edited into a message, so nothing was run or changed. Send it again as a new message.'

/** Long enough for any command and its verb. */
const MAX_VERB_LENGTH = 60

const explainUnreadFile = (): string =>
  `Signalman doesn’t read files attached to a message, and your message has no text. To upload a file, use a form such as ${cmd('/hc import')}.`

const CANT_READ_THREAD =
  'Signalman can’t read the message that started this thread, because the app lacks the scope channels:history (groups:history in private channels). A workspace admin can grant it by reinstalling the app. Until then, include the ID in your message.'
