import { UserError } from '@signalman/runtime'
import { card, commandButton, type ToolRequest } from '@signalman/slack'
import type { Access } from '../access/access.ts'
import type { RequestHandler } from '../request/contract.ts'
import { type ResolvedLine, type ResolveLine, resolveTyped, withoutPrefix } from '../routes/resolve-line.ts'
import type { Verb } from '../routes/routes.ts'
import type { LineHandler } from './handlers.ts'

/** Whether Slackbot can run the verb for a person. Approvals, roles, and personal data are only for people. */
export const isForTools = ({ needs, isPersonal }: Pick<Verb, 'needs' | 'isPersonal'>): boolean =>
  !isPersonal && (needs === 'viewer' || needs === 'operator')

/** Flags that show personal data or share an answer with a channel. */
const PEOPLE_ONLY_FLAGS = ['whois', 'personal', 'share']

export const isFlagForTools = (flag: string): boolean => !PEOPLE_ONLY_FLAGS.includes(flag)

export const isOnlyForPeople = ({ verb, args }: Pick<ResolvedLine, 'verb' | 'args'>): boolean =>
  !isForTools(verb) || PEOPLE_ONLY_FLAGS.some((flag) => args.flags[flag] !== undefined)

/**
 * Handles a line that Slackbot runs on behalf of a person. It is parsed like a typed line. An act is only previewed, and runs when
 * the person presses its button, because text that Slackbot read somewhere may have become a line.
 */
export function createToolHandler(deps: {
  resolve: ResolveLine
  access: Pick<Access, 'admit'>
  lineHandler: LineHandler
  /** This deployment's prefix for command names. */
  prefix: string
}): (request: ToolRequest) => RequestHandler {
  const { resolve, access, lineHandler, prefix } = deps
  return ({ command, text, isFromButton }) => {
    const resolved = resolveTyped(resolve, { command: withoutPrefix(command, prefix), text })
    if (!('verb' in resolved)) return lineHandler(resolved)
    if (isOnlyForPeople(resolved))
      return { verb: resolved.name, run: () => Promise.reject(new ForPeople(resolved.name)) }
    return resolved.isAct && !isFromButton ? previewHandler(resolved) : lineHandler(resolved)
  }

  function previewHandler({ verb, name, line, environment = 'production' }: ResolvedLine): RequestHandler {
    return {
      verb: name,
      async run(request, slot) {
        slot.setRequest({ ...request, environment })
        await access.admit(request, { ...verb, verb: name, usesCache: true })
        const fullLine = environment === 'production' ? line : `${line} --env ${environment}`
        const preview = card({
          headline: ['Not done yet', `: ${fullLine}`],
          notes: [`${verb.description}. This runs only when you press the button.`],
          controls: [commandButton('Run it', fullLine)],
        })
        await slot.put(preview)
        return name
      },
    }
  }
}

/** Only a person can do this, in a window or by typing. */
class ForPeople extends UserError {
  override readonly name = 'ForPeople'
  constructor(typed: string) {
    super(
      `Slackbot can’t run commands that approve something, give roles, or show personal data. Type ${typed} in a channel yourself.`,
    )
  }
}
