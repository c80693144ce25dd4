import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import type { MentionRequest, RequestOrigin, SlackClients, WaysToAnswer } from '@signalman/slack'
import { cmd } from '../../domain/command-names.ts'
import { isPlainlyForeign } from '../access/actor.ts'
import type { RequestHandler } from '../request/contract.ts'
import {
  type CommandLine,
  type ResolveLine,
  resolveTyped,
  tooLong,
  unread,
  withoutPrefix,
} from '../routes/resolve-line.ts'
import type { RouteTable } from '../routes/routes.ts'

/** Runs the command line in a mention of the app. */
export function createMentioned(parts: {
  routes: Pick<RouteTable, 'verbsOf' | 'mentionRules'>
  resolve: ResolveLine
  lineHandler: (asked: ReturnType<ResolveLine>) => RequestHandler
  clients: SlackClients
  /** This deployment's prefix for command names. */
  prefix: string
}): (request: MentionRequest, origin: RequestOrigin) => RequestHandler {
  const { routes, resolve, lineHandler, clients, prefix } = parts

  /** A command line without its slash, whose command may be left out where it is `/hc`; or nothing but IDs. */
  function readMentionLine({ text }: MentionRequest): CommandLine {
    const [first = '', ...rest] = text.split(/\s+/)
    const command = withoutPrefix(first.replace(/^\//, '').toLowerCase(), prefix)
    if (routes.verbsOf(command)) {
      const said = rest.join(' ')
      return { command, text: findMentionRule(command)?.typed(said) ?? said }
    }
    for (const { command, idsIn } of routes.mentionRules) {
      const ids = idsIn(text.slice(0, TEXT_LIMITS.message))
      if (ids !== undefined) return { command, text: ids }
    }
    return { command: 'hc', text: text || 'help' }
  }

  /** The verb in the audit log when a person of another organization is refused before their text is parsed. */
  function named(text: string): string {
    const [first = '', word = ''] = text.slice(0, LONGEST_NAME).toLowerCase().split(' ')
    const command = withoutPrefix(first, prefix)
    return routes.verbsOf(command)?.has(word) ? `/${command} ${word}`.trim() : '/hc'
  }

  const findMentionRule = (command: string) =>
    routes.mentionRules.find((mentionRule) => mentionRule.command === command)

  async function readThreadRoot(origin: RequestOrigin): Promise<Readonly<Record<string, unknown>>> {
    const { channelId } = origin
    const { threadTs }: WaysToAnswer = origin.surface
    if (!channelId || !threadTs) return {}
    const slack = await clients.of(origin)
    try {
      return (await slack.threadRoot({ channelId, threadTs })) ?? {}
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('missing_scope')) return {}
      throw new UserError(MAY_NOT_READ)
    }
  }

  /** In a thread, a line without an ID may be about the thread's first message. */
  function resolveMention(request: MentionRequest, origin: RequestOrigin): ReturnType<ResolveLine> {
    const { threadTs }: WaysToAnswer = origin.surface
    const line = readMentionLine(request)
    const asked = resolveTyped(resolve, line)
    const isLong = line.text.length > TEXT_LIMITS.line
    const inThread =
      threadTs && !asked.isAct && !isLong ? findMentionRule(line.command)?.inThread(line.text) : undefined
    if (!inThread) return asked
    return unread(asked.name, async () => {
      const whole = resolve({ ...line, text: await inThread(await readThreadRoot(origin)) })
      return whole.isAct ? asked : whole
    })
  }

  return (request, origin) => {
    const { text, whole, hasFile } = request
    if (hasFile && text === '')
      return lineHandler(unread('/hc', () => Promise.reject(new UserError(noFileWords()))))
    if (isPlainlyForeign(origin))
      return lineHandler(unread(named(text), async () => resolveMention(request, origin)))
    if (whole.length <= TEXT_LIMITS.line) return lineHandler(resolveMention(request, origin))
    const read = async () => {
      const asked = resolveMention(request, origin)
      // Slack's acknowledgement depends on whether it's an act.
      if (asked.isAct) throw tooLong(whole)
      return asked
    }
    return lineHandler(unread('/hc', read))
  }
}

/** For a command and its verb. */
const LONGEST_NAME = 60

const noFileWords = (): string =>
  `Signalman doesn’t read files attached to a message, and your message has no text. To upload a file, use a form such as ${cmd('/hc import')}.`

const MAY_NOT_READ =
  'Signalman can’t read the message that started this thread, because the app lacks the scope channels:history (groups:history in private channels). A workspace admin can grant it by reinstalling the app. Until then, include the ID in your message.'
