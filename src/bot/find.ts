import { UserError } from '@signalman/runtime'
import {
  type ActionRequest,
  answerAction,
  isInPlace,
  type MentionRequest,
  type Request,
  type RequestOrigin,
} from '@signalman/slack'
import { ENVIRONMENTS, type Environment } from '../domain/environment.ts'
import type { Forms } from './forms/forms.ts'
import { failing, type Handler, onlyAck } from './handler.ts'
import { ButtonTooOld } from './request/buttons.ts'
import { askIfNamed } from './routes/exact-name.ts'
import {
  type CommandLine,
  findVerbOfLine,
  opensAtOnce,
  type ResolvedLine,
  resolveOwn,
  resolveTyped,
  splitCommand,
  UnreadLine,
  withoutPrefix,
  writeLine,
} from './routes/lines.ts'
import { nameMentions } from './routes/name-mentions.ts'
import { offerInstead, offerNamed } from './routes/offer-named.ts'
import { opensForm } from './routes/read-line.ts'
import type { RouteTable } from './routes/routes.ts'
import type { ShareAnswer } from './share.ts'

/** Finds what a request of a person runs, without reading anything. Never throws: errors are shown to the person. */
export type Find = (request: Request, origin: RequestOrigin) => Handler

export interface FindDeps {
  routes: Pick<RouteTable, 'findVerbs' | 'commands' | 'findShortcut' | 'mentionRules'>
  forms: Forms
  home: Handler
  share: ShareAnswer
  findMention: (request: MentionRequest, origin: RequestOrigin) => Handler
  /** This deployment's prefix for command names, such as `x-`. */
  prefix: string
}

export function createFind(deps: FindDeps): Find {
  const { forms, home, findMention } = deps
  return (request, origin) => {
    try {
      switch (request.kind) {
        case 'command':
          return findTyped(deps, request)
        case 'action':
          return findPressed(deps, request)
        case 'submission':
          return forms.submitted(request.view)
        case 'options':
          return forms.typedInMenu(request)
        case 'mention':
          return findMention(request, origin)
        case 'shortcut':
          return findShortcut(deps, request)
        case 'home':
          return home
        default:
          return onlyAck()
      }
    } catch (error) {
      return failing(error)
    }
  }
}

const TYPED_ENVIRONMENT = /(?:^|\s)--env[=\s]+(\w+)(?=\s|$)/i

/** The environment that a line names, although it can't be read. What is offered instead is about it, too. */
function findEnvironment(text: string): Environment | undefined {
  const typed = TYPED_ENVIRONMENT.exec(text)?.[1]?.toLowerCase()
  return ENVIRONMENTS.find((environment) => environment === typed)
}

/**
 * The handler of a line. `resolve` parses it; if that fails, a person who was authorized sees why. Only for a typed one, the line that is
 * offered instead opens its form at once, and only if that is known before anything is read, because a window can't wait for it.
 */
export function lineHandler(
  { share, routes }: Pick<FindDeps, 'share' | 'routes'>,
  typed: CommandLine,
  resolve: (routes: FindDeps['routes'], line: CommandLine) => ResolvedLine,
  isTyped = false,
): Handler {
  let resolved: ResolvedLine
  try {
    resolved = resolve(routes, typed)
  } catch (error) {
    const unread = error instanceof UnreadLine ? error : undefined
    const canOpen = isTyped && unread !== undefined && opensAtOnce(routes, unread.line, unread.offers)
    return failing(error, {
      verb: `/${typed.command}`,
      environment: unread && findEnvironment(unread.line.text),
      opensModal: canOpen,
      run: (context) => offerNamed(context, routes, error, canOpen),
    })
  }
  const { verb, args, name, environment, isAct, mayChange, opensModal } = resolved
  const { needs, noGuests } = verb
  const canOpen = isTyped && opensForm(resolved)
  return {
    verb: name,
    needs,
    ...(noGuests && { noGuests }),
    isAct,
    mayChange,
    opensModal,
    environment,
    line: () => `${writeLine(resolved)}${args.flags.share ? ' --share' : ''}`,
    async run(context) {
      if (isAct) await askIfNamed(context, resolved)
      const content = await verb
        .run(context, args.prose ? await nameMentions(context, args.prose, args) : args)
        .catch((error: unknown) => offerInstead(context, routes, resolved, error, canOpen))
      return args.flags.share ? share(context, resolved, content) : content
    },
  }
}

/** A typed command. */
function findTyped(deps: FindDeps, typed: CommandLine): Handler {
  const { routes, prefix } = deps
  const command = withoutPrefix(typed.command, prefix)
  const text = routes.mentionRules.get(command)?.toCommandText(typed.text) ?? typed.text
  const line = { command, text }
  const handler = lineHandler(deps, line, resolveTyped, true)
  if (handler.line !== undefined) return handler
  // The line has an error. If its verb changes something, the person should know that nothing was changed.
  const verb = findVerbOfLine(routes, `/${command} ${line.text.replace(/[\s\p{P}]+$/u, '')}`)
  return { ...handler, mayChange: verb?.mayChange === true }
}

/** A pressed button or a changed menu. */
function findPressed(deps: FindDeps, { actionId, value, view }: ActionRequest): Handler {
  if (view && actionId === answerAction(view.metadata)) return deps.forms.changed(view)
  if (!value.startsWith('/')) throw new ButtonTooOld(UNKNOWN_LINE)
  const line = splitCommand(value)
  if (line.command === 'hc' && /^home(?: |$)/.test(line.text)) return deps.home
  const handler = lineHandler(deps, line, resolveOwn)
  return { ...handler, view, inPlace: isInPlace(actionId) }
}

const UNKNOWN_LINE = { unknown: 'what it was for', next: 'Type the command again.' }

/** An entry of the message menu. Its line depends on the message. */
function findShortcut(
  deps: FindDeps,
  { callbackId, message }: Extract<Request, { kind: 'shortcut' }>,
): Handler {
  const shortcut = deps.routes.findShortcut(callbackId)
  if (!shortcut) return onlyAck()
  const { command, textFor } = shortcut
  return {
    verb: `/${command}`,
    needs: 'viewer',
    async resolveHandler() {
      const text = await textFor(message)
      return unlessAct(lineHandler(deps, { command, text }, resolveOwn))
    },
  }
}

/** The request was acknowledged as a read. */
export function unlessAct(handler: Handler): Handler {
  if (handler.isAct) throw new UserError('This line changes something. Type it as a command.')
  return handler
}
