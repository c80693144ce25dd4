import { Question, TEXT_LIMITS, UserError } from '@signalman/runtime'
import {
  type ActionRequest,
  answerAction,
  isInPlace,
  type MentionRequest,
  type Message,
  type Request,
} from '@signalman/slack'
import { cmd } from '../domain/command-names.ts'
import { cleanTyped } from '../domain/typed-text/clean.ts'
import { isModal } from './answer.ts'
import type { Forms } from './forms/forms.ts'
import { findEnvironment } from './grammar/flags.ts'
import { InvalidLine } from './grammar/invalid-line.ts'
import { failing, type Handler, onlyAck } from './handler.ts'
import { ButtonTooOld } from './request/buttons.ts'
import {
  type CommandLine,
  resolveOwn,
  splitCommand,
  suggestLine,
  withoutPrefix,
  writeTyped,
} from './routes/lines.ts'
import { runLine } from './routes/name-mentions.ts'
import type { Reading } from './routes/read-line.ts'
import type { Modal, RouteTable } from './routes/routes.ts'
import { share } from './share.ts'
import { InvalidField } from './typed/fields.ts'
import { answerUnread, mayOpen, runRead } from './unread/answer.ts'
import { MAX_LINE, offerTyped, TYPE_IT } from './unread/offers.ts'
import type { Places } from './unread/place.ts'
import { resolveTyped } from './unread/read-typed.ts'

/** Finds what a request of a person runs, without reading anything. Never throws: errors are shown to the person. */
export type Find = (request: Request) => Handler

export interface FindDeps {
  routes: Places & Pick<RouteTable, 'findShortcut' | 'toCommandText'>
  forms: Forms
  home: Handler
  /** This deployment's prefix for command names, such as `x-`. */
  prefix: string
}

export function createFind(deps: FindDeps): Find {
  const { forms, home } = deps
  return (request) => {
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
          return findMentioned(deps, request)
        case 'shortcut':
          return findShortcut(deps, request)
        case 'home':
          return home
      }
    } catch (error) {
      return failing(error)
    }
  }
}

/** The handler of a line. `resolve` parses it; if that fails, a person who was authorized sees what can be done. Only a typed one opens a window. */
export function lineHandler(
  { routes }: Pick<FindDeps, 'routes'>,
  typed: CommandLine,
  resolve: (routes: FindDeps['routes'], line: CommandLine) => Reading,
  { isCommand = false, isMention = false } = {},
): Handler {
  let resolved: Reading
  const { command } = typed
  try {
    resolved = resolve(routes, typed)
  } catch (error) {
    const failed = { verb: `/${command}`, mayChange: beginsWithChange(routes, typed) }
    if (!(error instanceof InvalidLine)) return failing(error, failed)
    const { message: problem } = error
    const canOpen = isCommand && mayOpen(routes, typed)
    return failing(error, {
      ...failed,
      opensModal: canOpen,
      // What is shown or offered instead is about it, too.
      environment: findEnvironment(cleanTyped(typed.text)),
      run: (context) =>
        answerUnread(context, routes, {
          ...{ command, text: cleanTyped(typed.text) },
          ...{ problem, isSaid: isMention, canOpen },
        }),
    })
  }
  const { verb, args, environment, isAct, mayChange, opensModal } = resolved
  const { needs, guests } = verb
  const isOffered = isMention && isAct
  return {
    verb: verb.line,
    needs,
    ...(guests && !isOffered && { guests }),
    isAct: isAct && !isOffered,
    mayChange,
    opensModal,
    environment,
    line: () => writeTyped(resolved),
    async run(context) {
      // What is answered instead isn't shared.
      let answered: Message | Modal | undefined
      const run = async () => {
        if (isOffered) return offerTyped(context, routes, resolved)
        answered = await runLine(context, resolved).catch((error: unknown) => {
          if (!(error instanceof InvalidField) || verb.hidden) throw error
          throw new UserError(error.message, [suggestLine(`/${verb.command} help ${verb.verb}`)])
        })
        return answered
      }
      const content = await runRead(context, routes, resolved, {
        ...{ typed: { command, text: cleanTyped(typed.text) }, run, isSaid: isMention },
      })
      const line = writeTyped(resolved)
      if (isMention && opensModal === true && isModal(content) && line.length <= MAX_LINE)
        throw new Question('This opens a window, which Slack shows only after a press.', [suggestLine(line)])
      return args.flags.share && content === answered ? share(context, resolved, content) : content
    },
  }
}

/** Whether the verb of a line that can't be read changes something: then the answer says that nothing was changed. */
function beginsWithChange(routes: FindDeps['routes'], { command, text }: CommandLine): boolean {
  const [verb = ''] = text
    .slice(0, TEXT_LIMITS.line)
    .trim()
    .toLowerCase()
    .split(/[^a-z-]/, 1)
  return verb !== '' && routes.findVerbs(command).get(verb)?.mayChange === true
}

function findTyped(deps: FindDeps, typed: CommandLine): Handler {
  const { routes, prefix } = deps
  const command = withoutPrefix(typed.command, prefix)
  const text = routes.toCommandText(command, typed.text)
  return lineHandler(deps, { command, text }, resolveTyped, { isCommand: true })
}

/** Finds what a mention of the app runs: its command line, or the IDs in it. */
function findMentioned(deps: FindDeps, request: MentionRequest): Handler {
  if (request.hasFile && request.text === '') return failing(new UserError(explainUnreadFile()))
  return lineHandler(deps, readMentionLine(deps, request), resolveTyped, { isMention: true })
}

/** Parses a command line, whose slash and `hc` are optional, or a text that contains only IDs. */
function readMentionLine({ routes, prefix }: FindDeps, { text }: MentionRequest): CommandLine {
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

const explainUnreadFile = (): string =>
  `Signalman doesn’t read files attached to a message, and your message has no text. To upload a file, use a form such as ${cmd('/hc import')}.`

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
    guests: true,
    async resolveHandler() {
      const text = await textFor(message)
      return unlessAct(lineHandler(deps, { command, text }, resolveOwn))
    },
  }
}

/** The request was acknowledged as a read. */
export function unlessAct(handler: Handler): Handler {
  if (handler.isAct) throw new UserError(TYPE_IT)
  return handler
}
