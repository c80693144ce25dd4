import { TEXT_LIMITS, UserError } from '@signalman/runtime'
import type { MentionRequest } from '@signalman/slack'
import { cmd } from '../domain/command-names.ts'
import { type FindDeps, lineHandler } from './find.ts'
import { failing } from './handler.ts'
import { type CommandLine, withoutPrefix } from './routes/lines.ts'
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
    if (routes.findVerbs(command).size > 0)
      return { command, text: routes.toCommandText(command, otherWords.join(' ')) }
    if (!routes.findVerbs('hc').has(firstWord.toLowerCase()))
      for (const { command, parseIds } of routes.topics) {
        const ids = parseIds?.(text.slice(0, TEXT_LIMITS.message))
        if (ids !== undefined) return { command, text: ids }
      }
    return { command: 'hc', text: text || 'help' }
  }

  return (request) => {
    if (request.hasFile && request.text === '') return failing(new UserError(explainUnreadFile()))
    return lineHandler(deps, readMentionLine(request), resolveTyped, { isMention: true })
  }
}

const explainUnreadFile = (): string =>
  `Signalman doesn’t read files attached to a message, and your message has no text. To upload a file, use a form such as ${cmd('/hc import')}.`
