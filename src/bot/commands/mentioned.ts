import { UserError } from '../../errors.ts'
import type { SlackClients } from '../../slack/client/clients.ts'
import type { RequestOrigin } from '../../slack/receive/origin.ts'
import type { MentionRequest } from '../../slack/receive/requests.ts'
import type { WaysToAnswer } from '../../slack/receive/surface.ts'
import type { RequestHandler } from '../requests/request-handler.ts'
import type { CommandLine, ResolveLine } from '../routes/resolve-line.ts'
import type { RouteTable } from '../routes/routes.ts'
import type { RunLine } from './run-line.ts'

/** Runs the command line that somebody wrote to the app in a mention. */
export function createMentioned(parts: {
  routes: Pick<RouteTable, 'verbsOf' | 'hearings'>
  resolve: ResolveLine
  runLine: RunLine
  clients: SlackClients
}): (request: MentionRequest, origin: Pick<RequestOrigin, 'surface'>) => RequestHandler {
  const { routes, resolve, runLine, clients } = parts

  /** The words are a command line without its slash; other words belong to a feature, or to a verb of `/hc`. */
  function lineOf({ text, whole }: MentionRequest): CommandLine {
    const [first = '', ...rest] = text.split(/\s+/)
    const command = first.replace(/^\//, '').toLowerCase()
    if (routes.verbsOf(command)) {
      const said = rest.join(' ')
      return { command, text: hearingOf(command)?.typed(said) ?? said }
    }
    for (const { command, textFor } of routes.hearings) {
      const typed = textFor(whole)
      if (typed !== undefined) return { command, text: typed }
    }
    return { command: 'hc', text: text || 'help' }
  }

  const hearingOf = (command: string) => routes.hearings.find((hearing) => hearing.command === command)

  async function rootOf(origin: RequestOrigin): Promise<Readonly<Record<string, unknown>>> {
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

  return (request, { surface }) => {
    const { threadTs }: WaysToAnswer = surface
    const line = lineOf(request)
    const asked = resolve(line)
    const inThread = threadTs && !asked.isAct ? hearingOf(line.command)?.inThread(line.text) : undefined
    if (!inThread) return { verb: asked.name, isAct: asked.isAct, work: (request) => runLine(request, asked) }
    return {
      verb: asked.name,
      async work(request) {
        const whole = resolve({ ...line, text: inThread(await rootOf(request)) })
        // Whether it is an act must be known before Slack is answered.
        return runLine(request, whole.isAct ? asked : whole)
      },
    }
  }
}

const MAY_NOT_READ =
  'Signalman may not read the message that this thread hangs on: the app lacks the scope channels:history (groups:history in private channels). A workspace admin can give it by installing the app again. Until then, type the id as well.'
