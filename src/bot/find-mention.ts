import { Question, TEXT_LIMITS, UserError } from '@signalman/runtime'
import { LIMITS, type MentionRequest } from '@signalman/slack'
import { cmd } from '../domain/command-names.ts'
import { quoted } from '../domain/quoting.ts'
import { type FindDeps, lineHandler, TYPE_IT } from './find.ts'
import { failing, type Handler } from './handler.ts'
import { type CommandLine, suggestLine, withoutPrefix } from './routes/lines.ts'
import { resolveTyped } from './unread/read-typed.ts'

/** Finds what a mention of the app runs: its command line, or the IDs in it. */
export function createFindMention(
  deps: Pick<FindDeps, 'routes' | 'share' | 'prefix'>,
): FindDeps['findMention'] {
  const { routes, prefix } = deps

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

  return (request) => {
    if (request.hasFile && request.text === '') return failing(new UserError(explainUnreadFile()))
    const line = readMentionLine(request)
    const handler = read(line)
    return handler.isAct ? offer(handler, line) : handler
  }
}

const BOLD = /(?<=^|\s)\*([^*"]+)\*(?=\s|$)/g

/** A button gets its environment, too. */
const MAX_OFFERED = LIMITS.buttonValue - ' --env production'.length

const OFFER = 'Run this? A message by itself never changes anything.'

const explainUnreadFile = (): string =>
  `Signalman doesn’t read files attached to a message, and your message has no text. To upload a file, use a form such as ${cmd('/hc import')}.`
